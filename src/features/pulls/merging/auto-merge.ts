/**
 * Auto-merge. Any event that may have removed the last blocker enqueues a job (a review, a check, a
 * push, a setting, a rule, a resolved conversation). The job calls `merge_pull` with the rights of
 * whoever enabled auto-merge. When the only blocker is an outdated head, it merges the base in, at
 * most `MAX_UPDATES` times. When the rights are gone it disables auto-merge and gives the reason in
 * the timeline.
 */
import { handler, reactionToAll, type EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { call } from '#core/operation.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { conversationResolved } from '#features/issues/index.ts'
import { moveRefs, prepareUpdates, branchRef, readRef, requireRepo } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { contextFor, contextOf, subjectOf, type PullContext } from '../pull-context.ts'
import { pullUpdated } from '../events.ts'
import { serviceIdentity } from './merge-message.ts'
import { mergePull } from './merge-pull.ts'
import { autoMergeCaller } from './merging-caller.ts'
import { lacksPerson, reviewedOf } from './person-approval.ts'
import { mergeQueues } from '../extension-points.ts'
import { loadEvaluation } from '../pull-facts.ts'
import { currentBlockers } from '../pull-record.ts'
import type { Blocker } from '../schema.ts'
import { standingAlertsClosed, statsKnown } from '../internal-events.ts'
import { statsIfAny } from '../changes/stats.ts'
import { findPull, findPullById, type PullRow } from '../store-pulls.ts'
import { endAutoMerge, findAutoMerge, listAutoMerging, countUpdate } from './store-auto-merges.ts'
import { buildUpdate } from '../branches/update-branch.ts'

const MAX_UPDATES = 5
/** Pull requests enqueued for one change of settings or rules. The sweep finds the others. */
const MAX_PULLS_PER_CHANGE = 200
const MAX_WAIT_MS = 24 * 60 * MINUTE

/** Codes of refusals that mean that the rights to merge are gone. */
const RIGHTS_REFUSED = new Set(['forbidden', 'unauthenticated', 'not_found'])

export const autoMerge = job<{ pull_id: string }>({
  kind: 'auto_merge',
  retry: ['10s', '1m', '10m'],
  run: async ({ hearth }, { pull_id }) => {
    const found = findPullById(hearth.db, pull_id)
    if (!found || !wantsAutoMerge(found)) return
    const stats = await statsIfAny(hearth, found)
    const pull = findPullById(hearth.db, pull_id)
    if (!pull || !wantsAutoMerge(pull) || !stats || stats.head_sha !== pull.head_sha) return
    const around = contextOf(hearth.db, pull.repo_id)
    const asked = findAutoMerge(hearth.db, pull.id)
    const caller = autoMergeCaller(hearth, around, pull, asked)
    const context = contextFor(hearth, around, pull.base_ref, { pull, by: caller })
    const evaluation = loadEvaluation(hearth, { pull, context, stats }, caller)
    const blockers = currentBlockers(hearth, evaluation)
    if (!caller) {
      // When the repository enabled auto-merge, it goes on waiting for an approval. When a person
      // enabled it, that person can no longer merge.
      if (asked?.asked_by != null)
        await stopAutoMerging(hearth, pull, 'who asked for it can no longer merge')
      return
    }
    // An approval enqueues this job again.
    if (lacksPerson(context.settings, reviewedOf(hearth, evaluation))) return
    const queues = mergeQueues.all(hearth)
    if (queues.some((queue) => queue.positionsOf(hearth.db, pull.repo_id, [pull.number]).size > 0))
      return
    const isQueued = queues.some((queue) => queue.accepts(hearth, context, pull.base_ref))
    const left = blockers.filter(({ code }) => !(isQueued && code === 'base_moved'))
    if (left.length > 0) return waitFor(hearth, context, pull, left, asked?.updates ?? 0)
    try {
      await call(hearth, mergePull, caller, {
        repo: context.full_name,
        number: pull.number,
        expected_head: pull.head_sha ?? undefined,
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (RIGHTS_REFUSED.has(error.code)) await stopAutoMerging(hearth, pull, error.message)
      // The blocker appeared just now, and its own event will enqueue this job again.
      else if (error.reason === 'base_moved' || error.reason === 'head_moved')
        await enqueueLater(hearth, pull.id, 1_000)
    }
  },
})

const wantsAutoMerge = (pull: PullRow): boolean =>
  pull.status === 'open' && pull.auto_merge === 1 && pull.head_sha !== null

const enqueueLater = (hearth: Hearth, pull_id: string, delay_ms: number): Promise<unknown> =>
  writeAs(hearth, null, (tx) => void tx.enqueue(autoMerge, { pull_id }, { key: pull_id, delay_ms }))

/**
 * Merges the base in when that is the only blocker left, and comes back when a merge window opens.
 * All other blockers have an event.
 */
async function waitFor(
  hearth: Hearth,
  context: PullContext,
  pull: PullRow,
  left: readonly Blocker[],
  updates: number,
): Promise<void> {
  const opens = left.flatMap(({ code, details }) =>
    code === 'merge_window' && typeof details.opens_at === 'string'
      ? [Date.parse(details.opens_at)]
      : [],
  )
  const at = Math.min(...opens.filter((time) => Number.isFinite(time)))
  if (Number.isFinite(at))
    await enqueueLater(
      hearth,
      pull.id,
      Math.min(MAX_WAIT_MS, Math.max(1_000, at - hearth.clock.now() + 1_000)),
    )
  const [only, ...others] = left
  if (only?.code !== 'base_moved' || others.length > 0) return
  if (updates >= MAX_UPDATES)
    return stopAutoMerging(
      hearth,
      pull,
      `the base was merged in ${MAX_UPDATES} times and moved on each time`,
    )
  await mergeBaseIn(hearth, context, pull)
}

/** Pushes the merge of the base to the head, as the service. */
async function mergeBaseIn(hearth: Hearth, context: PullContext, pull: PullRow): Promise<void> {
  const place = requireRepo(hearth.db, pull.fork_id ?? pull.repo_id)
  if (pull.head_ref === null || pull.head_sha === null) return
  const name = branchRef(pull.head_ref)
  try {
    const { commit } = await buildUpdate(hearth, context, pull, {
      head: pull.head_sha,
      method: 'merge',
      by: serviceIdentity(hearth),
    })
    const moves = await prepareUpdates(hearth, place, [{ name, old: pull.head_sha, new: commit }])
    await writeAs(hearth, null, (tx) => {
      if (readRef(tx.db, place.id, name) !== pull.head_sha) return
      countUpdate(tx, pull.id)
      moveRefs(tx, place, moves)
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

/** Disables auto-merge of one pull request and gives the reason in its timeline. */
export function disableAutoMerge(tx: Tx, pull_id: string, reason: string): void {
  const now = findPullById(tx.db, pull_id)
  if (!now || now.auto_merge === 0) return
  endAutoMerge(tx, now)
  tx.append(
    pullUpdated,
    subjectOf(contextOf(tx.db, now.repo_id)),
    { number: now.number, issue: now.issue, changed: ['auto_merge'], head: now.head_sha, reason },
    { actor_id: null },
  )
}

const stopAutoMerging = (hearth: Hearth, pull: PullRow, reason: string): Promise<void> =>
  writeAs(hearth, null, (tx) => disableAutoMerge(tx, pull.id, reason))

const enqueueNow = (tx: Tx, pull: Pick<PullRow, 'id'>): void =>
  void tx.enqueue(autoMerge, { pull_id: pull.id }, { key: pull.id })

/** Enqueues the pull requests of a repository that wait. */
function enqueueAll(tx: Tx, repo_id: string): void {
  const limit = MAX_PULLS_PER_CHANGE
  for (const pull of listAutoMerging(tx.db, { repo_id, after: '', limit })) enqueueNow(tx, pull)
}

/** Events that may remove a blocker of one pull request. */
const PULL_EVENTS = new Set([
  'comment.created',
  'review.completed',
  'checks.completed',
  'pull.opened',
  'pull.ready',
  'pull.updated',
  'session.appended',
  'queue.changed',
])
const REPO_EVENTS =
  /^(repo\.(updated|unarchived|collaborator_\w+)|ruleset\.changed|workflow\.completed|commit\.status|security\.(analysis_completed|dependencies_reviewed))$/

export const followForAutoMerge = reactionToAll(
  'pulls merge by themselves',
  (tx, { type, repo_id, data }: EventRow) => {
    if (repo_id === null) {
      // A change of rules of a workspace: the sweep checks all waiting pull requests.
      if (type === 'ruleset.changed') tx.enqueue(sweepAutoMerges, null, { key: 'asked' })
      return
    }
    if (PULL_EVENTS.has(type)) {
      const pull = typeof data.number === 'number' ? findPull(tx.db, repo_id, data.number) : null
      if (pull && wantsAutoMerge(pull)) enqueueNow(tx, pull)
    } else if (REPO_EVENTS.test(type)) enqueueAll(tx, repo_id)
  },
)

export const followConversations = handler(
  'pulls merge by themselves after conversations',
  conversationResolved,
  (tx, { repo_id, number }) => {
    const pull = findPull(tx.db, repo_id, number)
    if (pull && wantsAutoMerge(pull)) enqueueNow(tx, pull)
  },
)

export const followStats = handler(
  'pulls merge by themselves once git has looked',
  statsKnown,
  (tx, { pull_id }) => {
    const pull = findPullById(tx.db, pull_id)
    if (pull && wantsAutoMerge(pull)) enqueueNow(tx, pull)
  },
)

export const followAlerts = handler(
  'pulls merge by themselves after alerts are closed',
  standingAlertsClosed,
  (tx, { repo_id }) => enqueueAll(tx, repo_id),
)

/**
 * Enqueues all waiting pull requests, for changes without an event: workspace roles, the time of
 * day in rules, external state.
 */
export const sweepAutoMerges = job<null>({
  kind: 'sweep_auto_merges',
  every: '5m',
  run: async ({ hearth, signal }) => {
    for (let after = ''; !signal.aborted; ) {
      const pulls = listAutoMerging(hearth.db, {
        repo_id: null,
        after,
        limit: MAX_PULLS_PER_CHANGE,
      })
      if (pulls.length > 0)
        await writeAs(hearth, null, (tx) => pulls.forEach((pull) => enqueueNow(tx, pull)))
      if (pulls.length < MAX_PULLS_PER_CHANGE) return
      after = pulls.at(-1)?.id ?? ''
    }
  },
})
