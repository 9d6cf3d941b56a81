/** Checks the content of `.gitmodules` and `.gitattributes` (git's `fsck_blob`). */
import { GitError } from '../ports.ts'
import { parseConfig } from './git-config.ts'

const MAX_ATTRIBUTES_BYTES = 100 * 1024 * 1024
const MAX_ATTRIBUTES_LINE_BYTES = 2048
/** Git's limit is 512 MiB. A lower one bounds the time that parsing takes. */
const MAX_MODULES_BYTES = 4 << 20

const fsckError = (id: string, what: string): GitError => new GitError('invalid', `${id}: ${what}`)

/**
 * Throws GitError `invalid` for sizes and line lengths that older versions of git cannot read
 * safely.
 */
export function checkGitattributes(data: Uint8Array): void {
  if (data.length > MAX_ATTRIBUTES_BYTES)
    throw fsckError('gitattributesLarge', '.gitattributes too large to parse')
  let start = 0
  for (let i = 0; i <= data.length; i++) {
    if (i < data.length && data[i] !== 10) continue
    if (i - start >= MAX_ATTRIBUTES_LINE_BYTES)
      throw fsckError('gitattributesLineLength', '.gitattributes has too long lines to parse')
    start = i + 1
  }
}

/**
 * Throws GitError `invalid` for names, paths, URLs or commands that would harm a clone with
 * submodules (`fsck_gitmodules_fn`). Like git, accepts what stands behind a syntax error, because
 * git does not read it.
 */
export function checkGitmodules(data: Uint8Array): void {
  if (data.length > MAX_MODULES_BYTES)
    throw fsckError('gitmodulesLarge', `.gitmodules has more than ${MAX_MODULES_BYTES} bytes`)
  for (const { name, value } of parseConfig(Buffer.from(data).toString('latin1'))) {
    const [, submodule, key] = /^submodule\.(.*)\.([^.]*)$/s.exec(name) ?? []
    if (submodule === undefined) continue
    if (isUnsafeSubmoduleName(submodule))
      throw fsckError('gitmodulesName', `disallowed submodule name: ${submodule}`)
    if (value === null) continue
    if (key === 'url' && isUnsafeSubmoduleUrl(value))
      throw fsckError('gitmodulesUrl', `disallowed submodule url: ${value}`)
    if (key === 'path' && value.startsWith('-'))
      throw fsckError('gitmodulesPath', `disallowed submodule path: ${value}`)
    if (key === 'update' && value.startsWith('!'))
      throw fsckError('gitmodulesUpdate', `disallowed submodule update setting: ${value}`)
  }
}

/**
 * A submodule name becomes a path below `.git/modules`, so no part of it may be `..`
 * (CVE-2018-11235).
 */
const isUnsafeSubmoduleName = (name: string): boolean =>
  name === '' || name.split(/[/\\]/).includes('..')

/**
 * Refuses options, line feeds in what a credential helper reads, and relative URLs that replace the
 * host (CVE-2020-5260, CVE-2020-11008). Same rules as git's `check_submodule_url`.
 */
function isUnsafeSubmoduleUrl(url: string): boolean {
  if (url.startsWith('-')) return true
  if (/^\.\.?\/|^git:\/\//.test(url)) {
    if (decodeUrl(url).includes('\n')) return true
    const [leading = ''] = /^(?:\.\.?\/)+/.exec(url) ?? []
    // The text after the leading `../` parts must not be readable as a host.
    return leading.includes('../') && /^[:/]/.test(url.slice(leading.length))
  }
  const address = /^(?:https?|ftps?)::(.*)$/s.exec(url)?.[1]
  if (address === undefined && !/^(?:https?|ftps?):\/\//.test(url)) return false
  return isUnsafeCredentialUrl(address ?? url)
}

/** Whether git could not take the parts of a credential from a URL (`credential_from_url_gently`). */
function isUnsafeCredentialUrl(url: string): boolean {
  const protocolEnd = url.indexOf('://')
  if (protocolEnd <= 0) return true
  const rest = url.slice(protocolEnd + 3)
  const hostEnd = rest.search(/[/?#]/)
  const authority = hostEnd < 0 ? rest : rest.slice(0, hostEnd)
  const path = hostEnd < 0 ? '' : rest.slice(hostEnd).replace(/^\/+/, '')
  const at = authority.indexOf('@')
  const colon = authority.indexOf(':')
  const hasPassword = colon >= 0 && colon < at
  const parts = [
    url.slice(0, protocolEnd),
    at < 0 ? '' : decodeUrl(authority.slice(0, hasPassword ? colon : at)),
    hasPassword ? decodeUrl(authority.slice(colon + 1, at)) : '',
    decodeUrl(authority.slice(at + 1)),
    decodeUrl(path),
  ]
  return authority.slice(at + 1) === '' || parts.some((part) => part.includes('\n'))
}

/** Decodes percent escapes like git's `url_decode`, which leaves text before a colon as it is. */
function decodeUrl(text: string): string {
  const colon = Math.max(0, text.indexOf(':'))
  const decoded = text
    .slice(colon)
    .replace(/%([0-9a-fA-F]{2})/g, (escape, hex: string) =>
      hex === '00' ? escape : String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return text.slice(0, colon) + decoded
}
