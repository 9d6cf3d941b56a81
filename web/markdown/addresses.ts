// Where a link or picture in Markdown leads. Relative addresses in a file mean the repository it
// lies in, at the version shown.
import { codePath } from '../paths.ts'

/** The folder a document lies in: repository `workspace/name`, a ref, a path (`''` is the top). */
export interface DocumentBase {
  repo: string
  ref: string
  dir: string
}

/** Prefix of every id that a document makes, so that it cannot stand for one of the page's own. */
export const ID_PREFIX = 'user-content-'

/** An id from a document, with the prefix; null for one that is of no use. */
export const prefixedId = (id: string): string | null => {
  const bare = id.trim().replace(/^(?:user-content-)+/, '')
  return /^[\p{L}\p{N}_.:-]{1,120}$/u.test(bare) ? `${ID_PREFIX}${bare}` : null
}

const schemePattern = /^([a-z][a-z0-9+.-]*):/i

/** White space and control characters, which browsers drop from an address before reading it. */
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

/**
 * The address to print, or null for one that may not be printed. Only http, https and mailto pass,
 * the last only for links. `siteUrl` stands before addresses on this site (it may be empty).
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
    if (scheme === 'http' || scheme === 'https') return text
    return scheme === 'mailto' && kind === 'link' ? text : null
  }
  // A backslash is a slash to a browser.
  if (/^[/\\]{2}/.test(text)) return `https://${text.replace(/^[/\\]+/, '')}`
  if (text.startsWith('#')) {
    const id = prefixedId(decode(text.slice(1)))
    return kind === 'link' ? (id === null ? '#' : `#${encodeURIComponent(id)}`) : null
  }
  // A colon before the first slash would still be read as a scheme.
  if (/^[^/?#]*:/.test(text)) return null
  if (!base) return text.startsWith('/') ? `${siteUrl}${text}` : text
  const end = text.search(/[?#]/)
  const path = end === -1 ? text : text.slice(0, end)
  const rest = end === -1 ? '' : text.slice(end)
  const target = resolvePath(base.dir, decode(path.replaceAll('\\', '/')))
  const fragment = rest.startsWith('#') ? (resolveAddress(rest, 'link', siteUrl) ?? '') : rest
  if (path === '' && kind === 'image') return null
  return `${siteUrl}${codePath(base.repo, kind === 'image' ? 'raw' : path.endsWith('/') || target === '' ? 'tree' : 'blob', base.ref, target)}${fragment}`
}
