/** What was said of a commit from outside, by everyone who keeps such things. */
import type { Hearth } from '#core/hearth.ts'
import { keepAll, kept } from '#core/look.ts'
import type { Oid } from '#git'
import { commitContexts, type CommitContext } from './points.ts'

/**
 * What several come to together: one failure is a failure, and what is not there yet is waited for.
 */
export function combinedState(
  states: readonly CommitContext['state'][],
): 'none' | 'pending' | 'success' | 'failure' {
  if (states.length === 0) return 'none'
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure'
  return states.includes('pending') ? 'pending' : 'success'
}

/** All that was said of a commit; `repo_id` is that of a repository, never of a fork. */
export const contextsOf = (hearth: Hearth, repo_id: string, sha: Oid): readonly CommitContext[] =>
  kept(
    hearth.db,
    'contexts',
    `${repo_id} ${sha}`,
    () => allContexts(hearth, repo_id, [sha]).get(`${repo_id} ${sha}`) ?? [],
  )

/** Brings what was said of the commits of a page into the look that is under way. */
export const keepContexts = (hearth: Hearth, repo_id: string, shas: readonly Oid[]): void =>
  keepAll(
    hearth.db,
    'contexts',
    shas.map((sha) => `${repo_id} ${sha}`),
    () => allContexts(hearth, repo_id, shas),
    () => [],
  )

function allContexts(
  hearth: Hearth,
  repo_id: string,
  shas: readonly Oid[],
): Map<string, readonly CommitContext[]> {
  const answers = commitContexts.all(hearth).map((answer) => answer(hearth.db, repo_id, shas))
  return new Map(
    shas.map((sha) => [`${repo_id} ${sha}`, answers.flatMap((answer) => answer.get(sha) ?? [])]),
  )
}
