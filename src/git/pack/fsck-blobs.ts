/** Checks the content of `.gitmodules` and `.gitattributes` (git's `fsck_blob`). */
import { GitError } from '../ports.ts'

const MAX_ATTRIBUTES_BYTES = 100 * 1024 * 1024
const MAX_ATTRIBUTES_LINE_BYTES = 2048

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
 * submodules.
 */
export function checkGitmodules(data: Uint8Array): void {
  const text = Buffer.from(data).toString('latin1')
  let name: string | null = null
  for (const line of logicalLines(text)) {
    const section = /^\s*\[\s*submodule\s+"((?:[^"\\]|\\.)*)"\s*\]/i.exec(line)
    if (section) {
      name = section[1]!.replace(/\\(.)/g, '$1')
      if (isUnsafeSubmoduleName(name))
        throw fsckError('gitmodulesName', `disallowed submodule name: ${name}`)
    } else if (/^\s*\[/.test(line)) name = null
    const setting = /^(?:\s*\[[^\]]*\])?\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(line)
    if (name === null || !setting) continue
    const value = unquote(setting[2]!)
    switch (setting[1]!.toLowerCase()) {
      case 'url':
        if (isUnsafeSubmoduleUrl(value))
          throw fsckError('gitmodulesUrl', `disallowed submodule url: ${value}`)
        break
      case 'path':
        if (value.startsWith('-'))
          throw fsckError('gitmodulesPath', `disallowed submodule path: ${value}`)
        break
      case 'update':
        if (value.startsWith('!'))
          throw fsckError('gitmodulesUpdate', `disallowed submodule update setting: ${value}`)
    }
  }
}

/** Splits text into lines and joins lines that end in a backslash with the next one. */
const logicalLines = (text: string): string[] => text.replace(/\\\r?\n/g, '').split(/\r?\n/)

function unquote(value: string): string {
  let out = ''
  let quoted = false
  for (let i = 0; i < value.length; i++) {
    const char = value[i]!
    if (char === '\\') {
      const next = value[++i] ?? ''
      out += next === 'n' ? '\n' : next === 't' ? '\t' : next === 'b' ? '\b' : next
    } else if (char === '"') quoted = !quoted
    else if (!quoted && (char === '#' || char === ';')) break
    else out += char
  }
  return out.trimEnd()
}

/**
 * A submodule name becomes a path below `.git/modules`, so no part of it may be `..`
 * (CVE-2018-11235).
 */
const isUnsafeSubmoduleName = (name: string): boolean =>
  name === '' || name.split(/[/\\]/).includes('..')

/**
 * Refuses options, line feeds in the data of a credential helper, and relative URLs that replace
 * the host (CVE-2020-5260, CVE-2020-11008).
 */
function isUnsafeSubmoduleUrl(url: string): boolean {
  if (url.startsWith('-')) return true
  const helper = /^(?:https?|ftps?):/i.test(url) || /^[A-Za-z0-9]+::/.test(url)
  if (/^\.\.?\//.test(url)) {
    let decoded: string
    try {
      decoded = decodeURIComponent(url)
    } catch {
      decoded = url
    }
    if (decoded.includes('\n')) return true
    // The text after the leading `../` parts must not be readable as a host.
    const left = url.replace(/^(?:\.\.?\/+)+/, '')
    return (
      url.startsWith('../') && (left === '' ? false : left.startsWith(':') || left.startsWith('/'))
    )
  }
  if (!helper) return false
  let decoded: string
  try {
    decoded = decodeURIComponent(url)
  } catch {
    return true
  }
  if (decoded.includes('\n')) return true
  const address = url.replace(/^[A-Za-z0-9]+::/, '')
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[/:?#]|$)/.test(address)
}
