/**
 * Resolves names to commits. A commit must be reachable from the refs of the repository that is
 * read, because forks share the object store.
 */
import { GitError, type Oid, type RefSnapshot } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { trimSlashes } from '#lib/trim-slashes.ts'
import { refsOf } from './ref-cache.ts'
import { findRef } from '../store/refs.ts'

type Family = { readonly id: string; readonly store: string }

/** The commits and objects that refs name, and other commits that were found reachable from them. */
type VisibleCommits = { readonly tips: ReadonlySet<Oid>; readonly reachable: Set<Oid> }

/** By the refs of one generation, so that a page need not look through 100,000 of them each time. */
const visibleCommits = service('visible commits', () => new WeakMap<RefSnapshot, VisibleCommits>())
const MAX_REACHABLE = 1000

function visibleCommitsOf(hearth: Hearth, repo_id: string): VisibleCommits {
  const snapshot = refsOf(hearth, repo_id)
  const known = visibleCommits(hearth).get(snapshot)
  if (known) return known
  const tips = new Set(snapshot.refs.map(({ oid, peeled }) => peeled ?? oid))
  const visible = { tips, reachable: new Set<Oid>() }
  visibleCommits(hearth).set(snapshot, visible)
  return visible
}

/** Whether a commit is reachable from the refs of a repository now. */
async function isVisible(hearth: Hearth, repo: Family, oid: Oid): Promise<boolean> {
  const { tips, reachable } = visibleCommitsOf(hearth, repo.id)
  if (tips.has(oid) || reachable.has(oid)) return true
  if (!(await hearth.git.isReachable(repo.store, oid, [...tips]))) return false
  if (reachable.size >= MAX_REACHABLE) reachable.clear()
  reachable.add(oid)
  return true
}

/** Converts git errors caused by invalid input into refusals. Other errors pass through as bugs. */
export async function refuseBadInput<T>(field: string, run: () => Promise<T>): Promise<T> {
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
 * Resolves `HEAD`, a branch, a tag, a full ref name, or a commit id or its unique prefix of at
 * least 4 digits. Throws 404 when it does not exist or is not reachable from this repository's
 * refs.
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
  // SQLite would compare a lone surrogate as U+FFFD, which a ref name may hold.
  if (!rev.isWellFormed()) throw missing()
  const snapshot = refsOf(hearth, repo.id)
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
      : await hearth.git.peelToCommit(repo.store, ref.peeled ?? ref.oid)
    if (commit === null) throw missing()
    return commit
  }
  if (!/^[0-9a-f]{4,64}$/i.test(rev)) throw missing()
  const oid = await hearth.git.expandPrefix(repo.store, rev.toLowerCase())
  if (oid === null) throw missing()
  if (!(await isVisible(hearth, repo, oid))) throw missing()
  return oid
}

/** Returns the commit of HEAD; null while the default branch does not exist. */
export function headCommit(hearth: Hearth, repo: Family): Oid | null {
  return findRef(hearth.db, repo.id, refsOf(hearth, repo.id).head)?.oid ?? null
}

/**
 * Normalizes a path inside a tree by removing slashes at both ends. Throws 422 for a path that no
 * tree can hold.
 */
export function parseTreePath(path: string, field = 'path'): string {
  const clean = trimSlashes(path)
  if (clean === '') return ''
  if (
    clean.split('/').some((part) => part === '' || part === '.' || part === '..') ||
    clean.includes('\0')
  )
    throw invalid(field, `${field} must be a path inside the repository`)
  return clean
}

export const pathNotFound = (path: string) =>
  new Refusal('not_found', `there is nothing at ${JSON.stringify(path.slice(0, 300))}`, {
    field: 'path',
  })
