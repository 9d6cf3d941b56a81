/**
 * Where features that come later have a say in pull requests: rules that stand against a merge,
 * settings that rules make stricter, and another way to land than moving the base at once.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { point } from '#core/points.ts'
import type { Tx } from '#core/write.ts'
import type { MergeMethod, Oid } from '#git'
import type { PullContext, Settings } from './context.ts'
import type { Blocker } from './schema.ts'
import type { Standing } from './standing.ts'
import type { PullRow } from './store.ts'
import type { Stats } from './store-stats.ts'

/**
 * A pull request whose merging is looked at. Everything is read from what is kept; nothing here may
 * wait.
 */
export type MergeQuestion = {
  readonly pull: PullRow
  readonly context: PullContext
  /** Null while git has not been asked yet; merging asks first. */
  readonly stats: Stats | null
  readonly standings: readonly Standing[]
  /**
   * Who would merge; null when it is only shown. Rules that some may pass are listed for everybody
   * else.
   */
  readonly by: SignedIn | null
}

/** What stands against a merge, each with its reason and message. */
export const mergeRules =
  point<(hearth: Hearth, question: MergeQuestion) => readonly Blocker[]>('pulls.merge_rules')

/**
 * What settings are asked for: merging into a base, which pull request, and who would merge it.
 * Null where that is not known.
 */
export type SettingsQuestion = {
  readonly context: PullContext
  readonly base_ref: string
  readonly pull: Pick<PullRow, 'author_id' | 'agent'> | null
  readonly by: SignedIn | null
}

/**
 * Makes the settings stricter for merging into one base; gives what it was given when it has
 * nothing to say.
 */
export const stricterSettings =
  point<(hearth: Hearth, question: SettingsQuestion, settings: Settings) => Settings>(
    'pulls.stricter_settings',
  )

/**
 * Reads what later features want to know of the present pair of commits, so that `mergeRules` need
 * not wait; gives what keeps it, or null when all is known. Asked whenever somebody looks at a pull
 * request, and before merging.
 */
export const mergeFacts =
  point<(hearth: Hearth, pull: PullRow) => Promise<((tx: Tx) => void) | null>>('pulls.merge_facts')

/**
 * Told of every merge that somebody asked for once it is decided: with the commit that lands, in
 * the transaction that moves the base, or with null when it was refused.
 */
export const mergeAttempts =
  point<(tx: Tx, question: MergeQuestion, landed: Oid | null) => void>('pulls.merge_attempts')

/** What a rule says about the queue of a base; null when none says that there is one. */
export const queueRules =
  point<
    (
      hearth: Hearth,
      context: PullContext,
      base_ref: string,
    ) => { readonly slots: number; readonly timeout_minutes: number | null } | null
  >('pulls.queue_rules')

export type Landing = {
  readonly by: SignedIn
  readonly method: MergeMethod
  readonly message: string | null
  readonly keep_issue_open: boolean
}

/** Where a merge goes when the repository does not move its base at once. */
export type LandingPlace = {
  /** Whether pull requests into this base land through it. */
  takes(hearth: Hearth, context: PullContext, base_ref: string): boolean
  /** Takes it in; without effect when it is in already. */
  add(tx: Tx, context: PullContext, pull: PullRow, landing: Landing): void
  /** Where it stands now; null when it is not there. */
  placeOf(db: Db, pull: PullRow): { position: number; state: string; entry: string } | null
}

export const landingPlaces = point<LandingPlace>('pulls.landing_places')

/**
 * Who may write in the session of a pull request beside its author and the author's own: an agent
 * that was started for it.
 */
export const sessionWriters =
  point<(db: Db, pull: PullRow, caller: SignedIn) => boolean>('pulls.session_writers')

/**
 * Told of a page of pull requests of one repository before they are put into records: brings what
 * answers will need into the look (`core/look.ts`), with one question each.
 */
export const pagesOfPulls =
  point<(db: Db, repo_id: string, pulls: readonly PullRow[]) => void>('pulls.pages')
