/**
 * What other features add to pull requests: rules that block a merge, rules that make settings
 * stricter, and queues that merge later.
 */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { extensionPoint } from '#core/extension-points.ts'
import type { Tx } from '#core/write.ts'
import type { MergeMethod, Oid } from '#git'
import type { PullContext, Settings } from './pull-context.ts'
import type { RunRow } from '#features/checks/index.ts'
import type { CommitContext, RepoRow } from '#features/repos/index.ts'
import type { OwnedPaths } from './changes/owners.ts'
import type { Blocker, Pull } from './schema.ts'
import type { ReviewStanding } from './reviews/review-standing.ts'
import type { PullRow } from './store-pulls.ts'
import type { Stats } from './changes/store-stats.ts'

/** A pull request whose merging is to be decided, with all that the decision needs. */
export type MergeEvaluation = {
  readonly pull: PullRow
  /** The repository, with the settings that hold for the base. */
  readonly context: PullContext
  /** Null until they are computed; merging computes them first. */
  readonly stats: Stats | null
  readonly standings: readonly ReviewStanding[]
  readonly labels: readonly string[]
  /** The run of acceptance checks on the head. */
  readonly checks: RunRow | null
  /** Check contexts of the head. */
  readonly statuses: readonly CommitContext[]
  /** Owned paths of the change; loaded where code owners must approve. */
  readonly owned: readonly OwnedPaths[]
  /** Unresolved threads; counted where conversations must be resolved. */
  readonly open_conversations: number
  /**
   * The caller who would merge; null when it is only shown. Rules that some callers may bypass then
   * count as if nobody could.
   */
  readonly by: SignedIn | null
}

/**
 * Returns the blockers of each evaluation, in the same order. All evaluations are of one
 * repository, so what the rules need is loaded for all of them at once. Must not wait.
 */
export const mergeRules =
  extensionPoint<
    (hearth: Hearth, evaluations: readonly MergeEvaluation[]) => readonly (readonly Blocker[])[]
  >('pulls.merge_rules')

export const ALERT_KINDS = ['code', 'dependency', 'secret'] as const
/** From the highest. */
export const ALERT_SEVERITIES = ['critical', 'high', 'medium', 'low', 'warning', 'note'] as const

/** Which security alerts stand in the way of a merge. */
export type AlertScope = {
  readonly kinds: readonly (typeof ALERT_KINDS)[number][]
  /** Less severe ones do not count. An alert of a secret has no severity and always counts. */
  readonly severity: (typeof ALERT_SEVERITIES)[number]
  /** Those that the pull request adds, or also those that it leaves on the default branch. */
  readonly of: 'pull' | 'repository'
  /** Scanners that must have analysed the head. */
  readonly tools: readonly string[]
}

/** An alert as everybody may know it who sees the pull request: its text needs more rights. */
export type StandingAlert = {
  readonly kind: (typeof ALERT_KINDS)[number]
  readonly id: string
  readonly severity: (typeof ALERT_SEVERITIES)[number] | null
  /** Its page, or that of its advisory. */
  readonly url: string | null
}

export type StandingAlerts = {
  /** The most severe of them. */
  readonly alerts: readonly StandingAlert[]
  readonly count: number
  /** What has not looked at the head yet: names of scanners, and `dependencies`. */
  readonly awaited: readonly string[]
}

/**
 * The open alerts of pull requests of one repository, by the ids of the pull requests. Must not
 * wait.
 */
export const standingAlerts =
  extensionPoint<
    (
      hearth: Hearth,
      repo: RepoRow,
      pulls: readonly PullRow[],
      scope: AlertScope,
    ) => ReadonlyMap<string, StandingAlerts>
  >('pulls.standing_alerts')

/** The merge that settings are for: its base, the pull request, and who merges; null if unknown. */
export type SettingsScope = {
  readonly context: PullContext
  readonly base_ref: string
  readonly pull: Pick<PullRow, 'author_id' | 'agent'> | null
  readonly by: SignedIn | null
}

/** Makes the settings stricter for merging into one base. Returns them as they are otherwise. */
export const stricterSettings =
  extensionPoint<(hearth: Hearth, scope: SettingsScope, settings: Settings) => Settings>(
    'pulls.stricter_settings',
  )

/**
 * Computes what `mergeRules` need of the present pair of commits, because they must not wait.
 * Returns the function that stores it, or null when all is stored. Runs whenever a pull request is
 * read, and before merging.
 */
export const mergeFacts =
  extensionPoint<(hearth: Hearth, pull: PullRow) => Promise<((tx: Tx) => void) | null>>(
    'pulls.merge_facts',
  )

/**
 * Runs when a requested merge is decided: with the commit that lands, in the transaction that moves
 * the base, or with null when the merge was refused.
 */
export const mergeAttempts =
  extensionPoint<(tx: Tx, evaluation: MergeEvaluation, landed: Oid | null) => void>(
    'pulls.merge_attempts',
  )

/** The settings of the queue of a base by rules; null when no rule requires a queue. */
export const queueRules =
  extensionPoint<
    (
      hearth: Hearth,
      context: PullContext,
      base_ref: string,
    ) => { readonly slots: number; readonly timeout_minutes: number | null } | null
  >('pulls.queue_rules')

/** The options of a requested merge. */
export type MergeOptions = {
  readonly by: SignedIn
  readonly method: MergeMethod
  readonly message: string | null
  readonly keep_issue_open: boolean
}

export type QueuePosition = NonNullable<Pull['queue']>

/** A queue that merges pull requests later. */
export type MergeQueue = {
  /** Whether pull requests into this base land through the queue. */
  accepts(hearth: Hearth, context: PullContext, base_ref: string): boolean
  /** Adds a pull request; without effect when it is queued already. */
  add(tx: Tx, context: PullContext, pull: PullRow, options: MergeOptions): void
  /** Positions of several pull requests of one repository, by number; absent when not queued. */
  positionsOf(
    db: Db,
    repo_id: string,
    numbers: readonly number[],
  ): ReadonlyMap<number, QueuePosition>
}

export const mergeQueues = extensionPoint<MergeQueue>('pulls.merge_queues')

/**
 * Whether a caller may write in a session beside the author and the agents of the author: an agent
 * that was started for the pull request.
 */
export const sessionWriters =
  extensionPoint<(db: Db, pull: PullRow, caller: SignedIn) => boolean>('pulls.session_writers')

/** An issue for the built-in agent. */
export type AgentAssignment = {
  readonly repo: RepoGrant
  readonly caller: SignedIn
  readonly issue: number
  /** The task whose model is used. */
  readonly task: string
  readonly instructions: string | null
  readonly max_usd: number | null
  /** The program that does the work; null is the built-in agent itself. */
  readonly program: string | null
}

/** The built-in agent as an actor, and its draft. */
export type StartedAgent = { readonly agent_id: string; readonly pull: PullRow }

/** Starts the built-in agent on an issue. Throws when it cannot. */
export const agentAssignments =
  extensionPoint<(tx: Tx, assignment: AgentAssignment) => StartedAgent>('pulls.agent_assignments')

/** Whether the forge itself counts what an agent costs, so that the agent reports nothing. */
export const measuredAgents =
  extensionPoint<(db: Db, agent_id: string) => boolean>('pulls.measured_agents')

/** What work may cost in US dollars. Allowances with one key are one. */
export type CostAllowance = {
  readonly key: string
  readonly max_usd: number
  readonly spent_usd: number
  /** What sets the limit, for people. */
  readonly what: string
}

/** Work in a repository; without a pull request for an agent that has none. */
export type CostlyWork = { readonly repo_id: string; readonly pull: PullRow | null }

/** The limits of what agents may still spend. */
export const costAllowances =
  extensionPoint<(hearth: Hearth, work: CostlyWork) => readonly CostAllowance[]>(
    'pulls.cost_allowances',
  )

/** A commit that the merge queue wants to land. */
export type Candidate = {
  /** The entry of the queue. */
  readonly id: string
  readonly pull: PullRow
  /** What it was built on. */
  readonly base_sha: Oid
  readonly sha: Oid
  readonly queued_by: string
}
export type CandidateResult = {
  readonly state: 'pending' | 'passed' | 'failed'
  /** Why it failed, for people. */
  readonly why: string | null
}

/** Tests of candidates besides the queue's own commands. `candidateTested` says that they ended. */
export type CandidateGate = {
  /** Asks for the tests of a candidate. False when there are none. */
  readonly start: (tx: Tx, candidate: Candidate) => boolean
  /** How the tests of an entry's candidate stand; null when there are none. */
  readonly resultOf: (db: Db, id: string, sha: Oid) => CandidateResult | null
  /** The candidate of an entry is no longer wanted. */
  readonly drop: (tx: Tx, id: string) => void
}
export const candidateGates = extensionPoint<CandidateGate>('pulls.candidate_gates')
