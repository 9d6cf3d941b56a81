// Resolves the addresses of links and images in Markdown. Relative ones start at the directory of
// the file, in the version that is shown.
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
    if (scheme === 'http' || scheme === 'https') return text
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
  if (!base || ATTACHMENT.test(text)) return text.startsWith('/') ? `${siteUrl}${text}` : text
  const end = text.search(/[?#]/)
  const path = end === -1 ? text : text.slice(0, end)
  const rest = end === -1 ? '' : text.slice(end)
  const target = resolvePath(base.dir, decode(path.replaceAll('\\', '/')))
  const fragment = rest.startsWith('#') ? (resolveAddress(rest, 'link', siteUrl) ?? '') : rest
  if (path === '' && kind === 'image') return null
  if (base.wiki) return `${siteUrl}${wikiTarget(base.repo, kind, target)}${fragment}`
  return `${siteUrl}${codePath(base.repo, kind === 'image' ? 'raw' : path.endsWith('/') || target === '' ? 'tree' : 'blob', base.ref, target)}${fragment}`
}
