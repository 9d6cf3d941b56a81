/**
 * `hashFiles`: the SHA-256 of the SHA-256 of each matching file below the workspace. The sandbox
 * lists and reads the files, so no link leads the server anywhere.
 */
import { ExpressionFault } from '#actions'
import type { JobWorkplace } from './job-workplace.ts'
import { quote } from './shells.ts'

const MAX_FILES = 20_000
const FILES_PER_READ = 200

/** Whether a path matches the patterns; later patterns win, and `!` excludes. */
function isMatched(
  path: string,
  patterns: readonly { glob: Bun.Glob; excludes: boolean }[],
): boolean {
  let matched = false
  for (const { glob, excludes } of patterns) if (glob.match(path)) matched = !excludes
  return matched
}

export async function hashFiles(place: JobWorkplace, patterns: readonly string[]): Promise<string> {
  const globs = patterns
    .flatMap((pattern) => pattern.split('\n'))
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '' && !pattern.startsWith('#'))
    .map((pattern) => {
      const excludes = pattern.startsWith('!')
      const path = pattern.slice(excludes ? 1 : 0).replace(`${place.paths.workspace}/`, '')
      return { glob: new Bun.Glob(path.replace(/^\.\//, '')), excludes }
    })
  const listing = await place.ask('find . -type f -print0 2>/dev/null')
  if (listing === null)
    throw new ExpressionFault('hashFiles could not list the files of the workspace')
  const paths = listing
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => path.slice(2))
    .filter((path) => isMatched(path, globs))
    .toSorted()
  if (paths.length === 0) return ''
  if (paths.length > MAX_FILES)
    throw new ExpressionFault(
      `hashFiles matches ${paths.length} files, at most ${MAX_FILES} are read`,
    )
  const hasher = new Bun.CryptoHasher('sha256')
  for (let at = 0; at < paths.length; at += FILES_PER_READ) {
    const files = paths.slice(at, at + FILES_PER_READ)
    const sums = await place.ask(`sha256sum -- ${files.map(quote).join(' ')}`)
    const digests = sums?.match(/^\\?[0-9a-f]{64}/gm) ?? []
    if (digests.length !== files.length)
      throw new ExpressionFault('hashFiles could not read the files of the workspace')
    for (const digest of digests) hasher.update(Buffer.from(digest.replace('\\', ''), 'hex'))
  }
  return hasher.digest('hex')
}
