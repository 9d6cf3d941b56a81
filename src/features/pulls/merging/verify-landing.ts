/**
 * Verifies the commit that is about to become the base. A merge that loses work is the worst fault
 * of a forge and easily goes unnoticed. So the result is checked against its inputs by other code
 * than the merge itself.
 */
import type { Git, Oid } from '#git'

export type LandedCommit = {
  store: string
  base: Oid
  merge_base: Oid | null
  head: Oid
  commit: Oid
  tree: Oid
}

/** Why a landing is not right; null when it is. */
export async function landingProblem(
  git: Git,
  { store, base, merge_base, head, commit, tree }: LandedCommit,
): Promise<string | null> {
  const line = await git.log(store, { tips: [commit], hide: [base], firstParent: true })
  if (line.length === 0) return 'nothing would land'
  if (line.at(-1)?.parents[0] !== base)
    return 'the new tip does not continue the old one by first parents'
  if (line[0]?.tree !== tree) return 'the new tip has another tree than was built'
  const again = await git.previewMerge(store, base, head)
  if (!('tree' in again) || again.tree !== tree) return 'merging a second time gives another tree'
  return strayPath(git, { store, base, merge_base, head, commit })
}

const pathsOf = (files: readonly { path: string; old_path: string | null }[]): string[] =>
  files.flatMap(({ path, old_path }) => (old_path === null ? [path] : [path, old_path]))

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/**
 * A path that the landing changes although the pull request does not. Files that were renamed on
 * the base are expected under their new name. Files added to a renamed folder are expected in its
 * new place.
 */
async function strayPath(
  git: Git,
  { store, base, merge_base, head, commit }: Omit<LandedCommit, 'tree'>,
): Promise<string | null> {
  const asked = new Set(pathsOf((await git.diff(store, merge_base, head, { hunks: false })).files))
  const landing = pathsOf((await git.diff(store, base, commit, { hunks: false })).files).filter(
    (path) => !asked.has(path),
  )
  if (landing.length === 0) return null
  const renames = (await git.diff(store, merge_base, base, { hunks: false })).files.filter(
    ({ status }) => status === 'renamed',
  )
  const moved = new Set<string>()
  for (const { path, old_path } of renames) {
    if (old_path === null) continue
    if (asked.has(old_path)) moved.add(path)
    for (const own of asked)
      if (own.startsWith(folderOf(old_path)))
        moved.add(folderOf(path) + own.slice(folderOf(old_path).length))
  }
  const stray = landing.find((path) => !moved.has(path))
  return stray === undefined
    ? null
    : `it would change ${JSON.stringify(stray)}, which the pull request does not`
}
