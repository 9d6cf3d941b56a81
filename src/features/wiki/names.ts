/**
 * Titles, slugs and files of pages. A page is a Markdown file of the wiki's git repository. Its slug
 * is the path without the ending, and its title the name with spaces in place of hyphens.
 */
import { invalid } from '#lib/errors.ts'

export const HOME = 'Home'
export const SIDEBAR = '_Sidebar'
export const FOOTER = '_Footer'
const SPECIAL: ReadonlySet<string> = new Set([SIDEBAR, FOOTER])

const PAGE_FILE = /^(.+)\.(?:md|markdown)$/i
const MAX_NAME_BYTES = 200

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** Signs that are no part of a file's name on every system, or that addresses treat specially. */
const UNSAFE = /[\\/:*?"<>|#%[\]\s]+/g

/** The slug of a file; null for a file that is no page. */
export function slugOfPath(path: string): string | null {
  const [, slug] = PAGE_FILE.exec(path) ?? []
  if (slug === undefined) return null
  const name = slug.split('/').at(-1) ?? ''
  return name === '' || (name.startsWith('_') && !SPECIAL.has(name)) ? null : slug
}

export const titleOfSlug = (slug: string): string => {
  const name = slug.split('/').at(-1) ?? slug
  return SPECIAL.has(name) ? name.slice(1) : name.replaceAll('-', ' ')
}

/** Whether a page belongs to the frame of others: the sidebar or the footer. */
export const isSpecial = (slug: string): boolean => SPECIAL.has(slug.split('/').at(-1) ?? '')

/** The same page by any spelling: links may have spaces, or another case. */
export const slugKey = (slug: string): string =>
  slug
    .normalize('NFC')
    .trim()
    .replace(/[\s_-]+/g, '-')
    .toLowerCase()

const folderOf = (slug: string): string => slug.slice(0, slug.lastIndexOf('/') + 1)

/**
 * The slug of a page with this title in the folder of `slug`. Throws 422 for a title of which no
 * name can be made.
 */
export function slugForTitle(slug: string, title: string): string {
  if (isSpecial(slug)) return slug
  if (CONTROLS.test(title)) throw invalid('title', 'The title holds control characters.')
  const name = title
    .toWellFormed()
    .normalize('NFC')
    .replace(UNSAFE, '-')
    .split('-')
    .filter((part) => part !== '')
    .join('-')
    .replace(/^[._-]+/, '')
  if (!/[\p{L}\p{N}]/u.test(name))
    throw invalid('title', 'The title must hold a letter or a digit.')
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw invalid('title', `The title is longer than ${MAX_NAME_BYTES} bytes.`)
  const folder = folderOf(slug)
  if (folder !== '' && !isFolder(folder))
    throw invalid('slug', 'The folder of the page is no path.')
  return `${folder}${name}`
}

const isFolder = (folder: string): boolean =>
  folder
    .slice(0, -1)
    .split('/')
    .every((part) => part !== '' && !/^[._]/.test(part) && !CONTROLS.test(part))
