/**
 * Agents that were started for a pull request are its agents, whoever its author is: Maintain let
 * them in.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { PullRow } from '#features/pulls/index.ts'
import { findAgent } from './store.ts'

/**
 * The answer to the point `sessionWriters`. Whether its token still works was seen when it called.
 */
export function isStartedFor(db: Db, pull: PullRow, caller: SignedIn): boolean {
  const agent = caller.kind === 'agent' ? findAgent(db, caller.id) : null
  return (
    agent !== null &&
    agent.ended_at === null &&
    agent.repo_id === pull.repo_id &&
    agent.pull_number === pull.number
  )
}
