/** While a remote leads, nobody but its mirror moves refs here, and nothing is merged. */
import { reaction } from '#core/events.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { mergeRules } from '#features/pulls/index.ts'
import { branchRenamed, gitPush, repoDeleted } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { leaderOf } from './link-state.ts'
import { requestSync } from './request-work.ts'
import { abortWork } from './running-work.ts'
import { findLeader, listFollowers, listMirrors } from './store.ts'
import { ownMoves } from './sync-options.ts'

/** Pushes that come together become one sync. */
const PUSH_DELAY_MS = 2 * SECOND

/** Why refs of a repository cannot move now; null when they can. */
export function findLeadProblem(db: Db, repo_id: string): string | null {
  const row = findLeader(db, repo_id)
  if (!row) return null
  const leader = leaderOf(row)
  if (leader === 'service') return null
  return leader === 'nobody'
    ? `the lead is being handed back to the mirror ${row.name}: try again in a minute`
    : `the mirror ${row.name} leads: push to ${row.url}, or ask an administrator to take over`
}

/** Whether the remote runs the workflows: while it leads and answers, unless they run here too. */
export function runsOnRemote(db: Db, repo_id: string): boolean {
  const row = findLeader(db, repo_id)
  if (!row || row.keep_ci_warm === 1) return false
  return row.state !== 'ci_failover' && leaderOf(row) === 'remote'
}

/** Why deployments wait: while the remote is away, nobody knows what it deploys itself. */
export function findDeployHold(db: Db, repo_id: string): string | null {
  const row = findLeader(db, repo_id)
  if (!row || row.hold_deploys === 0) return null
  return row.state === 'ci_failover' || row.state === 'takeover'
    ? `the mirror ${row.name} no longer leads, cannot be reached, or reports no checks`
    : null
}

function requireLead(tx: Tx, repo_id: string | null): void {
  if (repo_id === null || ownMoves(tx.hearth).has(tx)) return
  const problem = findLeadProblem(tx.db, repo_id)
  if (problem !== null) throw conflict('rule', problem)
}

const guardPushes = reaction('mirrors refuse pushes while the remote leads', gitPush, (tx, event) =>
  requireLead(tx, event.repo_id),
)

const guardRenames = reaction(
  'mirrors refuse renamed branches while the remote leads',
  branchRenamed,
  (tx, event) => requireLead(tx, event.repo_id),
)

function pushToFollowers(tx: Tx, repo_id: string | null): void {
  if (repo_id === null) return
  for (const { id, state } of listFollowers(tx.db, repo_id))
    if (state !== 'paused') requestSync(tx, id, { delay_ms: PUSH_DELAY_MS })
}

const followPushes = reaction('mirrors that follow get pushes', gitPush, (tx, event) =>
  pushToFollowers(tx, event.repo_id),
)

const followRenames = reaction('mirrors that follow get renamed branches', branchRenamed, (tx, e) =>
  pushToFollowers(tx, e.repo_id),
)

const onDeleted = reaction('mirrors end with their repository', repoDeleted, (tx, { repo_id }) => {
  if (repo_id === null) return
  for (const { id } of listMirrors(tx.db, repo_id)) tx.afterCommit(() => abortWork(tx.hearth, id))
})

export const reactions = [guardPushes, guardRenames, followPushes, followRenames, onDeleted]

/** The blocker of merges while the remote leads. */
export const mergeBlockers = mergeRules.with((hearth, evaluations) =>
  evaluations.map(({ context }) => {
    const message = findLeadProblem(hearth.db, context.repo.id)
    return message === null ? [] : [{ code: 'rule', message, details: { mirror: true } }]
  }),
)
