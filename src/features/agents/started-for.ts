/**
 * An agent that was started for a pull request may write in its session, whoever the author is.
 * Starting it required Maintain.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { PullRow } from '#features/pulls/index.ts'
import { findAgent } from './store.ts'

/** The extension of `sessionWriters`. Authentication has already verified the agent's token. */
export function isStartedFor(db: Db, pull: PullRow, caller: SignedIn): boolean {
  const agent = caller.kind === 'agent' ? findAgent(db, caller.id) : null
  return (
    agent !== null &&
    agent.ended_at === null &&
    agent.repo_id === pull.repo_id &&
    agent.pull_number === pull.number
  )
}
