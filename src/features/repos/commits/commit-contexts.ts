/**
 * The check contexts of a commit: results of statuses and workflows, from all features that report
 * them.
 */
import type { Hearth } from '#core/hearth.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Oid } from '#git'
import { commitContexts, type CommitContext } from '../extension-points.ts'

/** Combines several states: any failure makes a failure, any pending one makes it pending. */
export function combineStates(
  states: readonly CommitContext['state'][],
): 'none' | 'pending' | 'success' | 'failure' {
  if (states.length === 0) return 'none'
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure'
  return states.includes('pending') ? 'pending' : 'success'
}

/** Returns all contexts of a commit. `repo_id` is the id of a repository, never of a fork. */
export const commitContextsOf = (
  hearth: Hearth,
  repo_id: string,
  sha: Oid,
): readonly CommitContext[] =>
  memo(
    hearth.db,
    'contexts',
    `${repo_id} ${sha}`,
    () => loadContexts(hearth, repo_id, [sha]).get(`${repo_id} ${sha}`) ?? [],
  )

/** Preloads the contexts of the commits of a page into the current read scope. */
export const preloadContexts = (hearth: Hearth, repo_id: string, shas: readonly Oid[]): void =>
  preload(
    hearth.db,
    'contexts',
    shas.map((sha) => `${repo_id} ${sha}`),
    () => loadContexts(hearth, repo_id, shas),
    () => [],
  )

function loadContexts(
  hearth: Hearth,
  repo_id: string,
  shas: readonly Oid[],
): Map<string, readonly CommitContext[]> {
  const answers = commitContexts.all(hearth).map((answer) => answer(hearth.db, repo_id, shas))
  return new Map(
    shas.map((sha) => [`${repo_id} ${sha}`, answers.flatMap((answer) => answer.get(sha) ?? [])]),
  )
}
