/**
 * Directories that a change takes away, by deleting or renaming all of them: whatever others change
 * below goes with it.
 */
import type { FileDiff, Git, Oid } from '#git'

/**
 * Directories that are looked at; a change that empties more has its largest ones among the first.
 */
const MOST_LOOKED_AT = 200

const above = (path: string): string[] => {
  const found: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
    found.push(path.slice(0, at))
  return found
}

/** The outermost of them, each with a slash at its end. */
export async function goneFolders(
  git: Git,
  store: string,
  head: Oid,
  files: readonly FileDiff[],
): Promise<string[]> {
  const left = files.flatMap(({ path, old_path, status }) =>
    status === 'removed'
      ? above(path)
      : status === 'renamed' && old_path !== null
        ? above(old_path)
        : [],
  )
  const candidates = [...new Set(left)]
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .slice(0, MOST_LOOKED_AT)
  const gone: string[] = []
  for (const folder of candidates) {
    if (gone.some((outer) => `${folder}/`.startsWith(outer))) continue
    if ((await git.entry(store, head, folder))?.type !== 'dir') gone.push(`${folder}/`)
  }
  return gone
}
