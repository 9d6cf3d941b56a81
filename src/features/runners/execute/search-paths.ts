/**
 * The files that path patterns of a step name: one a line, `!` excludes, `#` begins a comment. The
 * sandbox lists them, so no link leads the server anywhere.
 */
import { posix } from 'node:path'
import type { JobWorkplace } from './job-workplace.ts'
import { quote } from './shells.ts'

const MAX_PATTERNS = 200
const WILDCARD = /[*?[{]/

type Pattern = {
  readonly glob: Bun.Glob | null
  /** The whole path, without a slash at its end. */
  readonly path: string
  /** The part before the first wildcard. */
  readonly prefix: string
  readonly excludes: boolean
}

export type FoundFiles = {
  /** What all paths have in common, which archives leave out. */
  readonly root: string
  /** Relative to the root, in order. */
  readonly files: readonly string[]
}

/** The lines of an input that names paths. */
export const pathLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

function readPattern(line: string, { paths }: Pick<JobWorkplace, 'paths'>): Pattern {
  const excludes = line.startsWith('!')
  const text = line.slice(excludes ? 1 : 0).trim()
  const home = text === '~' || text.startsWith('~/') ? `${paths.home}${text.slice(1)}` : text
  const path = posix.resolve(paths.workspace, home)
  const names = path.split('/')
  const first = names.findIndex((name) => WILDCARD.test(name))
  const prefix = first < 0 ? path : names.slice(0, first).join('/') || '/'
  return { glob: first < 0 ? null : new Bun.Glob(path), path, prefix, excludes }
}

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** Whether a pattern names a file, or a folder that it is in. */
function isNamed({ glob, path, prefix }: Pattern, file: string): boolean {
  if (glob === null) return isBelow(file, path)
  if (!isBelow(file, prefix)) return false
  for (let at = file.length; at > 0; at = file.lastIndexOf('/', at - 1))
    if (glob.match(file.slice(0, at))) return true
  return false
}

/** Whether a name between the beginning of the search and the file begins with a dot. */
const isHidden = (file: string, prefix: string): boolean =>
  file
    .slice(prefix.length)
    .split('/')
    .some((name) => name.startsWith('.'))

function commonFolder(paths: readonly string[]): string {
  const [first = [], ...rest] = paths.map((path) => path.split('/'))
  let length = first.length
  for (const names of rest) {
    let same = 0
    while (same < length && names[same] === first[same]) same++
    length = same
  }
  return first.slice(0, length).join('/') || '/'
}

/** Null when the files cannot be listed: too many, or the sandbox has ended. */
export async function findFiles(
  place: JobWorkplace,
  text: string,
  options: { readonly includesHidden: boolean },
): Promise<FoundFiles | null> {
  const patterns = pathLines(text)
    .slice(0, MAX_PATTERNS)
    .map((line) => readPattern(line, place))
  const wanted = patterns.filter(({ excludes }) => !excludes)
  const excluded = patterns.filter(({ excludes }) => excludes)
  if (wanted.length === 0) return { root: place.paths.workspace, files: [] }
  const prefixes = [...new Set(wanted.map(({ prefix }) => prefix))]
  // Links to files and folders are followed, as the action of the same name does.
  const listing = await place.ask(
    `find -L ${prefixes.map(quote).join(' ')} -type f -print0 2>/dev/null || true`,
  )
  if (listing === null) return null
  const isWanted = (file: string): boolean =>
    wanted.some(
      (pattern) =>
        isNamed(pattern, file) && (options.includesHidden || !isHidden(file, pattern.prefix)),
    ) && !excluded.some((pattern) => isNamed(pattern, file))
  const all = new Set(listing.split('\0').filter((file) => file !== '' && isWanted(file)))
  const files = [...all].toSorted()
  const [only] = prefixes
  const isOneFile = prefixes.length === 1 && only !== undefined && all.has(only)
  const common = isOneFile ? posix.dirname(only) : commonFolder(prefixes)
  const root = all.has(common) ? posix.dirname(common) : common
  const cut = root === '/' ? 1 : root.length + 1
  return { root, files: files.map((file) => file.slice(cut)) }
}
