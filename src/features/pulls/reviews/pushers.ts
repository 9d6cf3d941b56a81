/**
 * Who pushed to the head of a pull request. Nobody's approval counts for commits that they pushed,
 * unless the repository turns `require_last_push_approval` off. An agent's pushes are its person's.
 */
import { handler, listEvents } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import {
  branchPushed,
  branchRef,
  gitPush,
  pullsOfCommits,
  repoById,
} from '#features/repos/index.ts'
import { principalOf } from '../permissions.ts'
import type { PullRow } from '../store-pulls.ts'
import { addPushers, listPullsOfHead } from './store-pushers.ts'

/** Pushes that are read to find who pushed a branch last. */
const MAX_PUSHES_READ = 200

export const recordPushers = handler(
  'pulls record pushers',
  branchPushed,
  (tx, { repo_id, branch, actor_id }) => {
    const repo = repoById(tx.db, repo_id)
    if (repo) addPushers(tx, listPullsOfHead(tx.db, repo, branch), principalOfActor(tx, actor_id))
  },
)

/** Records who pushed the branch of a new pull request last. Merges by the forge do not count. */
export function recordLastPusher(tx: Tx, pull: PullRow): void {
  if (pull.branch === null) return
  const ref = branchRef(pull.branch)
  const last = listEvents(tx.db, {
    repo_id: pull.repo_id,
    types: [gitPush.type],
    limit: MAX_PUSHES_READ,
  }).find(({ data }) => data.ref === ref)
  const after = last?.data.after
  if (last?.actor_id == null || typeof after !== 'string') return
  if (pullsOfCommits(tx.db, pull.repo_id, [after]).has(after)) return
  addPushers(tx, [pull.id], principalOfActor(tx, last.actor_id))
}

const principalOfActor = (tx: Tx, actor_id: string): string =>
  principalOf(actorOf(tx.hearth, actor_id))
