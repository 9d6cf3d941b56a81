// Resolves the addresses of links and images in Markdown. Relative ones start at the directory of
// the file, in the version that is shown.
import { lineAddress } from '#lib/line-address.ts'
import { encodePath } from '#lib/percent-encoding.ts'
import { codePath, repoPath } from '../paths.ts'

/** The directory of a document: repository `workspace/name`, ref, path (`''` is the root). */
export interface DocumentBase {
  repo: string
  ref: string
  dir: string
  /** The document is a page of the repository's wiki, which has no `ref`. */
  wiki?: boolean
}

/** The prefix of every id of a document, so that it cannot equal an id of the page. */
export const ID_PREFIX = 'user-content-'

/** An id of a document with the prefix. Null for an invalid one. */
export const prefixedId = (id: string): string | null => {
  const bare = id.trim().replace(/^(?:user-content-)+/, '')
  return /^[\p{L}\p{N}_.:-]{1,120}$/u.test(bare) ? `${ID_PREFIX}${bare}` : null
}

const schemePattern = /^([a-z][a-z0-9+.-]*):/i

/** White space and control characters, which browsers drop before they read an address. */
const stripControls = (address: string): string =>
  address.trim().replace(/[\u0000-\u001f\u007f]/g, '')

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const resolvePath = (dir: string, path: string): string => {
  const parts: string[] = path.startsWith('/') ? [] : dir.split('/').filter(Boolean)
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** An attached file, whose address begins at the root of the site in every document. */
const ATTACHMENT = /^\/[^/]+\/[^/]+\/attachments\/att_/

/** Links to Markdown files lead to their pages; other files and pictures are sent as they are. */
function wikiTarget(repo: string, kind: 'link' | 'image', target: string): string {
  const isFile = /\.[a-z0-9]{1,5}$/i.test(target) && !/\.(?:md|markdown)$/i.test(target)
  if (kind === 'image' || isFile) return repoPath(repo, `/wiki/_raw/${encodePath(target)}`)
  const slug = target.replace(/\.(?:md|markdown)$/i, '')
  return repoPath(repo, slug === '' ? '/wiki' : `/wiki/${encodePath(slug)}`)
}

/** A line of a file, or a range, as other forges write it too: `#L3`, `#L3-L9`, `#L3C1-L9C7`. */
const LINES = /^#L(\d{1,7})(?:C\d{1,7})?(?:-L?(\d{1,7})(?:C\d{1,7})?)?$/

/** The end of an address of a file that leads to the lines of a fragment; null for another fragment. */
function linesOf(fragment: string): string | null {
  const [match, first, last] = LINES.exec(fragment) ?? []
  return match === undefined || Number(first) < 1
    ? null
    : lineAddress(Number(first), Number(last ?? first))
}

export const MARKDOWN_FILE = /\.(?:md|markdown|mdown|mkd)$/i

/**
 * The end of an address of another document that leads to an element of it. `at` names the part of a
 * long document that has it.
 */
function elementOf(fragment: string): string {
  const id = prefixedId(decode(fragment.slice(1)))
  if (id === null) return '#'
  return `?at=${encodeURIComponent(id.slice(ID_PREFIX.length))}#${encodeURIComponent(id)}`
}

const FILE_WITH_FRAGMENT = /^(\/[^/?#]+\/[^/?#]+\/blob\/[^?#]+)(#.*)$/

/** An address of this site as it was typed; one that names lines of a file leads to its source. */
function siteAddress(path: string): string {
  const [, file, fragment = ''] = FILE_WITH_FRAGMENT.exec(path) ?? []
  const lines = linesOf(fragment)
  return file === undefined || lines === null ? path : file + lines
}

/**
 * The address to use, or null for a forbidden one. Allowed are http, https and, for links, mailto.
 * `siteUrl` precedes addresses of this site and may be empty.
 */
export const resolveAddress = (
  address: string,
  kind: 'link' | 'image',
  siteUrl: string,
  base?: DocumentBase,
): string | null => {
  const text = stripControls(address)
  if (text === '') return null
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined) {
    if (scheme === 'http' || scheme === 'https')
      return siteUrl !== '' && text.startsWith(`${siteUrl}/`)
        ? siteUrl + siteAddress(text.slice(siteUrl.length))
        : text
    return scheme === 'mailto' && kind === 'link' ? text : null
  }
  // Browsers read a backslash as a slash.
  if (/^[/\\]{2}/.test(text)) return `https://${text.replace(/^[/\\]+/, '')}`
  if (text.startsWith('#')) {
    const id = prefixedId(decode(text.slice(1)))
    return kind === 'link' ? (id === null ? '#' : `#${encodeURIComponent(id)}`) : null
  }
  // A colon before the first slash would be read as the end of a scheme.
  if (/^[^/?#]*:/.test(text)) return null
  if (!base || ATTACHMENT.test(text))
    return text.startsWith('/') ? siteUrl + siteAddress(text) : text
  const end = text.search(/[?#]/)
  const path = end === -1 ? text : text.slice(0, end)
  const rest = end === -1 ? '' : text.slice(end)
  const target = resolvePath(base.dir, decode(path.replaceAll('\\', '/')))
  if (path === '' && kind === 'image') return null
  const isDocument = base.wiki === true || MARKDOWN_FILE.test(target)
  const fragment =
    linesOf(rest) ??
    (!rest.startsWith('#')
      ? rest
      : isDocument
        ? elementOf(rest)
        : (resolveAddress(rest, 'link', siteUrl) ?? ''))
  if (base.wiki) return `${siteUrl}${wikiTarget(base.repo, kind, target)}${fragment}`
  return `${siteUrl}${codePath(base.repo, kind === 'image' ? 'raw' : path.endsWith('/') || target === '' ? 'tree' : 'blob', base.ref, target)}${fragment}`
}
