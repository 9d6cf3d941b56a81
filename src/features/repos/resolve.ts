/**
 * From what a caller names to a commit. Whatever is named must be reachable from the refs of the
 * repository it is asked of.
 */
import { GitError, type Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { refsOf } from './ref-cache.ts'
import { findRef } from './store-refs.ts'

type Family = { readonly id: string; readonly store: string }

/** The tips that make commits of a repository visible. */
export const tipsOf = (hearth: Hearth, repo_id: string): Oid[] => [
  ...new Set(refsOf(hearth.db, repo_id).refs.map(({ oid, peeled }) => peeled ?? oid)),
]

/** Turns what the engine says of a bad input into a refusal; everything else stays a bug. */
export async function blameInput<T>(field: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof GitError && error.code === 'missing')
      throw new Refusal('not_found', error.message, { field })
    if (
      error instanceof GitError &&
      (error.code === 'invalid' || error.code === 'too_large' || error.code === 'unsupported')
    )
      throw invalid(field, error.message)
    throw error
  }
}

/**
 * The commit that a name stands for: `HEAD`, a branch, a tag, a full ref name, or a commit id or a
 * unique beginning of one (4 digits or more). 404 when there is none, or when it cannot be reached
 * from this repository's refs.
 */
export async function resolveCommit(
  hearth: Hearth,
  repo: Family,
  rev: string,
  field = 'ref',
): Promise<Oid> {
  const missing = () =>
    new Refusal(
      'not_found',
      `there is no branch, tag or commit ${JSON.stringify(rev.slice(0, 200))} here`,
      { field },
    )
  const snapshot = refsOf(hearth.db, repo.id)
  const names =
    rev === 'HEAD' || rev === ''
      ? [snapshot.head]
      : rev.startsWith('refs/')
        ? [rev]
        : [`refs/heads/${rev}`, `refs/tags/${rev}`]
  for (const name of names) {
    const ref = findRef(hearth.db, repo.id, name)
    if (!ref) continue
    const commit = name.startsWith('refs/heads/')
      ? ref.oid
      : await hearth.git.peel(repo.store, ref.peeled ?? ref.oid)
    if (commit === null) throw missing()
    return commit
  }
  if (!/^[0-9a-f]{4,64}$/i.test(rev)) throw missing()
  const oid = await hearth.git.expand(repo.store, rev.toLowerCase())
  if (oid === null) throw missing()
  const tips = tipsOf(hearth, repo.id)
  if (!tips.includes(oid) && !(await hearth.git.isReachable(repo.store, oid, tips))) throw missing()
  return oid
}

/** The commit that HEAD stands for; null while the default branch does not exist. */
export function headCommit(hearth: Hearth, repo: Family): Oid | null {
  return findRef(hearth.db, repo.id, refsOf(hearth.db, repo.id).head)?.oid ?? null
}

/** A path inside a tree: without slashes at the ends. 422 for what no tree can hold. */
export function treePath(path: string, field = 'path'): string {
  const clean = path.replace(/^\/+|\/+$/g, '')
  if (clean === '') return ''
  if (
    clean.split('/').some((part) => part === '' || part === '.' || part === '..') ||
    clean.includes('\0')
  )
    throw invalid(field, `${field} must be a path inside the repository`)
  return clean
}

export const noSuchPath = (path: string) =>
  new Refusal('not_found', `there is nothing at ${JSON.stringify(path.slice(0, 300))}`, {
    field: 'path',
  })
