/** What was said of a commit from outside, by everyone who keeps such things. */
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { commitContexts, type CommitContext } from './points.ts'

/** What several come to together: one failure is a failure, and what is not there yet is waited for. */
export function combinedState(states: readonly CommitContext['state'][]): 'none' | 'pending' | 'success' | 'failure' {
  if (states.length === 0) return 'none'
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure'
  return states.includes('pending') ? 'pending' : 'success'
}

/** All that was said of a commit; `repo_id` is that of a repository, never of a fork. */
export const contextsOf = (hearth: Hearth, repo_id: string, sha: Oid): CommitContext[] => commitContexts.all(hearth).flatMap((answer) => answer(hearth.db, repo_id, sha))
