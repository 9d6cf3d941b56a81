/**
 * Merging by itself. Whatever may have taken the last obstacle away (a review, a check, a push, a
 * setting, a rule, a resolved conversation, a window that opened) has a job look again; the job
 * merges through the very operation that a person would call, with the rights of whoever asked.
 * When only the base has moved, the base is merged in first, a few times at most. When nobody is
 * left who may merge it, it stops, and the timeline says why.
 */
import { follower, reactionToAll, type EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { call } from '#core/operation.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { conversationResolved } from '#features/issues/index.ts'
import { moveRefs, prepareUpdates, branchRef, readRef, requireRepo } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { contextFor, contextOf, subjectOf, type PullContext } from './context.ts'
import { pullUpdated } from './events.ts'
import { serviceIdentity } from './merge-message.ts'
import { mergePull } from './merge-pull.ts'
import { mergingCaller } from './merging-caller.ts'
import { landingPlaces } from './points.ts'
import { currentBlockers } from './record.ts'
import type { Blocker } from './schema.ts'
import { statsKnown } from './signals.ts'
import { standingsOf } from './standing.ts'
import { statsIfAny } from './stats.ts'
import { findPull, findPullById, type PullRow } from './store.ts'
import {
  endAutoMerge,
  findAutoMerge,
  listMergingThemselves,
  noteUpdate,
} from './store-auto-merges.ts'
import { buildUpdate } from './update-branch.ts'

const MOST_UPDATES = 5
/** Of one repository at one change of its settings or rules; the sweep finds the others. */
const MOST_AT_ONCE = 200
const LONGEST_WAIT = 24 * 60 * MINUTE

/** Answers of a merge that mean that whoever asked may not. */
const WITHOUT_RIGHTS = new Set(['forbidden', 'unauthenticated', 'not_found'])

export const autoMerge = job<{ pull_id: string }>({
  kind: 'auto_merge',
  retry: ['10s', '1m', '10m'],
  run: async ({ hearth }, { pull_id }) => {
    const found = findPullById(hearth.db, pull_id)
    if (!found || !wants(found)) return
    const stats = await statsIfAny(hearth, found)
    const pull = findPullById(hearth.db, pull_id)
    if (!pull || !wants(pull) || !stats || stats.head_sha !== pull.head_sha) return
    const around = contextOf(hearth.db, pull.repo_id)
    const asked = findAutoMerge(hearth.db, pull.id)
    const caller = mergingCaller(hearth, around, pull, asked)
    const context = contextFor(hearth, around, pull.base_ref, { pull, by: caller })
    const blockers = currentBlockers(hearth, {
      pull,
      context,
      stats,
      standings: standingsOf(hearth, pull, context, stats),
      by: caller,
    })
    if (!caller) {
      // By the repository's setting it waits for somebody's approval; who asked themselves is gone.
      if (asked?.asked_by != null) await stop(hearth, pull, 'who asked for it can no longer merge')
      return
    }
    const queued = landingPlaces
      .all(hearth)
      .some((place) => place.placeOf(hearth.db, pull) !== null)
    if (queued) return
    const throughPlace = landingPlaces
      .all(hearth)
      .some((place) => place.takes(hearth, context, pull.base_ref))
    const left = blockers.filter(({ code }) => !(throughPlace && code === 'base_moved'))
    if (left.length > 0) return waitFor(hearth, context, pull, left, asked?.updates ?? 0)
    try {
      await call(hearth, mergePull, caller, {
        repo: context.full_name,
        number: pull.number,
        expected_head: pull.head_sha ?? undefined,
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (WITHOUT_RIGHTS.has(error.code)) await stop(hearth, pull, error.message)
      // What stood in the way came a moment ago, and says so itself.
      else if (error.reason === 'base_moved' || error.reason === 'head_moved')
        await ask(hearth, pull.id, 1_000)
    }
  },
})

const wants = (pull: PullRow): boolean =>
  pull.status === 'open' && pull.auto_merge === 1 && pull.head_sha !== null

const ask = (hearth: Hearth, pull_id: string, delay_ms: number): Promise<unknown> =>
  writeAs(hearth, null, (tx) => void tx.enqueue(autoMerge, { pull_id }, { key: pull_id, delay_ms }))

/**
 * Merges the base in where that is all that is missing; comes back when a window opens. Everything
 * else has an event.
 */
async function waitFor(
  hearth: Hearth,
  context: PullContext,
  pull: PullRow,
  left: readonly Blocker[],
  updates: number,
): Promise<void> {
  const opens = left.flatMap(({ code, details }) =>
    code === 'merge_window' && typeof details['opens_at'] === 'string'
      ? [Date.parse(details['opens_at'])]
      : [],
  )
  const at = Math.min(...opens.filter((time) => Number.isFinite(time)))
  if (Number.isFinite(at))
    await ask(
      hearth,
      pull.id,
      Math.min(LONGEST_WAIT, Math.max(1_000, at - hearth.clock.now() + 1_000)),
    )
  const [only, ...others] = left
  if (only?.code !== 'base_moved' || others.length > 0) return
  if (updates >= MOST_UPDATES)
    return stop(hearth, pull, `the base was merged in ${MOST_UPDATES} times and moved on each time`)
  await bringBaseIn(hearth, context, pull)
}

/** The service's own push to the head, by nobody. */
async function bringBaseIn(hearth: Hearth, context: PullContext, pull: PullRow): Promise<void> {
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
      noteUpdate(tx, pull.id)
      moveRefs(tx, place, moves)
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

/** Switches it off for this one, and says why in its timeline. */
export function endMergingByItself(tx: Tx, pull_id: string, reason: string): void {
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

const stop = (hearth: Hearth, pull: PullRow, reason: string): Promise<void> =>
  writeAs(hearth, null, (tx) => endMergingByItself(tx, pull.id, reason))

const soon = (tx: Tx, pull: Pick<PullRow, 'id'>): void =>
  void tx.enqueue(autoMerge, { pull_id: pull.id }, { key: pull.id })

/**
 * Events about one pull request, and those about a repository, a workspace or people, after which
 * all may stand differently.
 */
const ABOUT_ONE = new Set([
  'comment.created',
  'review.completed',
  'checks.completed',
  'pull.opened',
  'pull.ready',
  'pull.updated',
  'session.appended',
  'queue.changed',
])
const ABOUT_ALL =
  /^(repo\.(updated|unarchived|collaborator_\w+)|ruleset\.changed|workflow\.completed|commit\.status)$/

export const followForAutoMerge = reactionToAll(
  'pulls merge by themselves',
  (tx, { type, repo_id, data }: EventRow) => {
    if (repo_id === null) {
      // Rules and members of a whole workspace: the sweep looks at all that wait.
      if (type === 'ruleset.changed') tx.enqueue(sweepAutoMerges, null, { key: 'asked' })
      return
    }
    if (ABOUT_ONE.has(type)) {
      const pull =
        typeof data['number'] === 'number' ? findPull(tx.db, repo_id, data['number']) : null
      if (pull && wants(pull)) soon(tx, pull)
    } else if (ABOUT_ALL.test(type)) {
      for (const pull of listMergingThemselves(tx.db, { repo_id, after: '', limit: MOST_AT_ONCE }))
        soon(tx, pull)
    }
  },
)

export const followConversations = follower(
  'pulls merge by themselves after conversations',
  conversationResolved,
  (tx, { repo_id, number }) => {
    const pull = findPull(tx.db, repo_id, number)
    if (pull && wants(pull)) soon(tx, pull)
  },
)

export const followStats = follower(
  'pulls merge by themselves once git has looked',
  statsKnown,
  (tx, { pull_id }) => {
    const pull = findPullById(tx.db, pull_id)
    if (pull && wants(pull)) soon(tx, pull)
  },
)

/**
 * Finds what no event tells of: rights that changed in a workspace, a rule about the time of day, a
 * state from outside.
 */
export const sweepAutoMerges = job<null>({
  kind: 'sweep_auto_merges',
  every: '5m',
  run: async ({ hearth, signal }) => {
    for (let after = ''; !signal.aborted; ) {
      const pulls = listMergingThemselves(hearth.db, { repo_id: null, after, limit: MOST_AT_ONCE })
      if (pulls.length > 0)
        await writeAs(hearth, null, (tx) => pulls.forEach((pull) => soon(tx, pull)))
      if (pulls.length < MOST_AT_ONCE) return
      after = pulls.at(-1)?.id ?? ''
    }
  },
})
