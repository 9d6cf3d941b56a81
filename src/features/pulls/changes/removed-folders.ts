/**
 * Directories that a change removes by deleting or renaming all files in them. Changes of other
 * pull requests below them would be lost.
 */
import type { FileDiff, Git, Oid } from '#git'

/** Directories that are checked. The largest come first. */
const MAX_CHECKED_FOLDERS = 200

const parentFolders = (path: string): string[] => {
  const found: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
    found.push(path.slice(0, at))
  return found
}

/** The outermost removed directories, each with a slash at its end. */
export async function removedFolders(
  git: Git,
  store: string,
  head: Oid,
  files: readonly FileDiff[],
): Promise<string[]> {
  const left = files.flatMap(({ path, old_path, status }) =>
    status === 'removed'
      ? parentFolders(path)
      : status === 'renamed' && old_path !== null
        ? parentFolders(old_path)
        : [],
  )
  const candidates = [...new Set(left)]
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .slice(0, MAX_CHECKED_FOLDERS)
  const gone: string[] = []
  for (const folder of candidates) {
    if (gone.some((outer) => `${folder}/`.startsWith(outer))) continue
    if ((await git.findEntry(store, head, folder))?.type !== 'dir') gone.push(`${folder}/`)
  }
  return gone
}
