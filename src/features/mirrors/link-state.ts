/**
 * The states of a mirror link (decisions, section 20.2) as a pure function: `nextLink` maps a state
 * and a fact to the next state and what has to be done. It reads no clock and no database, so a
 * test runs thousands of histories through it.
 */
import { MINUTE } from '#lib/time.ts'
import type { MirrorState } from './schema.ts'

export type LinkState = {
  /** leader: the remote leads. follower: the service leads, and the remote is pushed to. */
  readonly role: 'leader' | 'follower'
  readonly state: MirrorState
  readonly paused_from: MirrorState | null
  /** Grows with each change of the state. A job that began in an earlier one changes nothing. */
  readonly epoch: number
  readonly reachable: boolean
  /** Times in milliseconds. */
  readonly reachable_since: number | null
  readonly unreachable_since: number | null
  readonly first_failed_at: number | null
  readonly probes_failed: number
  readonly probes_passed: number
  readonly setup_failures: number
  /** Whether the remote answers and its checks report nothing. */
  readonly checks_silent: boolean
}

export type LinkRules = {
  /** Minutes until the service takes over by itself; null: never. */
  readonly take_over_after: number | null
  readonly hand_back: 'manual' | 'automatic'
}

export type LinkFact =
  | { readonly kind: 'probed'; readonly reached: boolean; readonly at: number }
  /** What was seen of the checks of the remote. */
  | { readonly kind: 'checks'; readonly silent: boolean }
  /** All refs of the remote were fetched and applied. */
  | { readonly kind: 'fetched' }
  | { readonly kind: 'fetch_failed' }
  | { readonly kind: 'take_over' }
  /** A hand-back whose plan has no conflict begins. */
  | { readonly kind: 'hand_back' }
  /** All refs were pushed, and a list that was made afterwards equals ours. */
  | { readonly kind: 'handed_back' }
  | { readonly kind: 'hand_back_failed' }
  | { readonly kind: 'move_to_service'; readonly keep: boolean }
  | { readonly kind: 'pushed'; readonly diverged: boolean }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** A failed setup begins again. */
  | { readonly kind: 'retry' }

/**
 * sync: fetch or push soon. record_refs: store the commit of each ref as where the takeover began.
 * try_hand_back: hand back by itself when the plan has no conflict. adopt_refs: the refs of the
 * remote count as pushed by the service. run_waiting: run workflows for pushes that were fetched and
 * whose checks the remote did not report. remove: delete the link.
 */
export type LinkEffect =
  | 'sync'
  | 'record_refs'
  | 'try_hand_back'
  | 'hand_back'
  | 'adopt_refs'
  | 'run_waiting'
  | 'remove'

export type LinkStep = { readonly link: LinkState; readonly effects: readonly LinkEffect[] }

const PROBES_IN_A_ROW = 3
const UNREACHABLE_FOR_MS = 3 * MINUTE
const MAX_SETUP_FAILURES = 3
const REACHABLE_BEFORE_HAND_BACK_MS = 10 * MINUTE

/** Which side may move refs. A paused link leads where it led before. */
export function leaderOf(link: Pick<LinkState, 'role' | 'state' | 'paused_from'>): Leader {
  if (link.role === 'follower') return 'service'
  const state = link.state === 'paused' ? link.paused_from : link.state
  return state === 'takeover' ? 'service' : state === 'handing_back' ? 'nobody' : 'remote'
}
/** `nobody`: while handing back, pushes wait a minute. */
export type Leader = 'service' | 'remote' | 'nobody'

const moveTo = (link: LinkState, state: MirrorState, ...effects: LinkEffect[]): LinkStep => ({
  link: {
    ...link,
    state,
    epoch: link.epoch + 1,
    checks_silent: link.checks_silent && state === 'ci_failover',
  },
  effects,
})
const stay = (link: LinkState, ...effects: LinkEffect[]): LinkStep => ({ link, effects })

/** Applies one fact. Null when the fact is impossible in this state, and nothing changes. */
export function nextLink(link: LinkState, fact: LinkFact, rules: LinkRules): LinkStep | null {
  switch (fact.kind) {
    case 'probed':
      return fact.reached ? afterReached(link, fact.at, rules) : afterMissed(link, fact.at, rules)
    case 'checks':
      return afterChecks(link, fact.silent)
    case 'fetched':
      return link.state === 'setting_up'
        ? moveTo({ ...link, setup_failures: 0 }, 'standing_by')
        : stay(link)
    case 'fetch_failed':
      return link.state === 'setting_up' ? afterFailedSetup(link) : stay(link)
    case 'pause':
      return link.state === 'paused' ? null : moveTo({ ...link, paused_from: link.state }, 'paused')
    case 'resume':
      return link.paused_from === null ? null : resume(link, link.paused_from)
    case 'retry':
      return link.state === 'failed'
        ? moveTo({ ...link, setup_failures: 0 }, 'setting_up', 'sync')
        : null
    case 'pushed':
      return afterPush(link, fact.diverged)
    default:
      return nextLeader(link, fact)
  }
}

type LeaderFact = Extract<
  LinkFact,
  { kind: 'take_over' | 'hand_back' | 'handed_back' | 'hand_back_failed' | 'move_to_service' }
>

/** Moves of the lead between the remote and the service. */
function nextLeader(link: LinkState, fact: LeaderFact): LinkStep | null {
  const isStanding = link.state === 'standing_by' || link.state === 'ci_failover'
  switch (fact.kind) {
    case 'take_over':
      return isStanding ? moveTo(link, 'takeover', 'record_refs') : null
    case 'hand_back':
      return link.state === 'takeover' ? moveTo(link, 'handing_back', 'hand_back') : null
    case 'handed_back':
      return link.state === 'handing_back' ? moveTo(link, 'standing_by') : null
    case 'hand_back_failed':
      return link.state === 'handing_back' ? moveTo(link, 'takeover') : null
    case 'move_to_service':
      if (!isStanding && link.state !== 'takeover') return null
      return fact.keep
        ? moveTo({ ...link, role: 'follower' }, 'following', 'adopt_refs', 'sync')
        : { link: { ...link, epoch: link.epoch + 1 }, effects: ['remove'] }
  }
}

function afterReached(before: LinkState, at: number, rules: LinkRules): LinkStep {
  const link: LinkState = {
    ...before,
    reachable: true,
    reachable_since: before.reachable_since ?? at,
    unreachable_since: null,
    first_failed_at: null,
    probes_failed: 0,
    probes_passed: Math.min(before.probes_passed + 1, PROBES_IN_A_ROW),
  }
  if (link.state === 'ci_failover' && link.probes_passed >= PROBES_IN_A_ROW && !link.checks_silent)
    return moveTo(link, 'standing_by', 'sync')
  const isDue =
    link.state === 'takeover' &&
    rules.hand_back === 'automatic' &&
    at - (link.reachable_since ?? at) >= REACHABLE_BEFORE_HAND_BACK_MS
  return isDue ? stay(link, 'try_hand_back') : stay(link)
}

function afterMissed(before: LinkState, at: number, rules: LinkRules): LinkStep {
  const first_failed_at = before.first_failed_at ?? at
  const probes_failed = before.probes_failed + 1
  const isGone = probes_failed >= PROBES_IN_A_ROW
  const link: LinkState = {
    ...before,
    first_failed_at,
    probes_failed,
    probes_passed: 0,
    reachable: before.reachable && !isGone,
    reachable_since: null,
    unreachable_since: isGone ? first_failed_at : before.unreachable_since,
  }
  const goneFor = link.unreachable_since === null ? -1 : at - link.unreachable_since
  if (link.state === 'standing_by' && goneFor >= UNREACHABLE_FOR_MS)
    return moveTo(link, 'ci_failover', 'run_waiting')
  const isOver =
    link.state === 'ci_failover' &&
    rules.take_over_after !== null &&
    goneFor >= rules.take_over_after * MINUTE
  return isOver ? moveTo(link, 'takeover', 'record_refs') : stay(link)
}

/** Checks that report nothing begin a failover; once they report again, probes end it. */
function afterChecks(link: LinkState, silent: boolean): LinkStep {
  if (silent && link.state === 'standing_by')
    return moveTo({ ...link, checks_silent: true, probes_passed: 0 }, 'ci_failover', 'run_waiting')
  return stay(silent ? link : { ...link, checks_silent: false })
}

function afterFailedSetup(before: LinkState): LinkStep {
  const link = { ...before, setup_failures: before.setup_failures + 1 }
  return link.setup_failures >= MAX_SETUP_FAILURES ? moveTo(link, 'failed') : stay(link)
}

function afterPush(link: LinkState, diverged: boolean): LinkStep | null {
  if (link.role !== 'follower') return null
  if (link.state === 'following' && diverged) return moveTo(link, 'diverged')
  if (link.state === 'diverged' && !diverged) return moveTo(link, 'following')
  return link.state === 'following' || link.state === 'diverged' ? stay(link) : null
}

const resume = (link: LinkState, state: MirrorState): LinkStep =>
  moveTo({ ...link, paused_from: null }, state, state === 'handing_back' ? 'hand_back' : 'sync')
