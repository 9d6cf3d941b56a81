/**
 * Where features that come later have a say in pull requests: rules that stand against a merge, settings that rules make
 * stricter, and another way to land than moving the base at once.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { point } from '#core/points.ts'
import type { Tx } from '#core/write.ts'
import type { MergeMethod } from '#git'
import type { PullContext, Settings } from './context.ts'
import type { Blocker } from './schema.ts'
import type { Standing } from './standing.ts'
import type { PullRow } from './store.ts'
import type { Stats } from './store-stats.ts'

/** A pull request whose merging is looked at. Everything is read from what is kept; nothing here may wait. */
export type MergeQuestion = {
  readonly pull: PullRow
  readonly context: PullContext
  /** Null while git has not been asked yet; merging asks first. */
  readonly stats: Stats | null
  readonly standings: readonly Standing[]
  /** Who would merge; null when it is only shown. Rules that some may pass are listed for everybody else. */
  readonly by: SignedIn | null
}

/** What stands against a merge, each with its reason and message. */
export const mergeRules = point<(hearth: Hearth, question: MergeQuestion) => readonly Blocker[]>('pulls.merge_rules')

/** Makes the settings stricter for merging into one base; gives what it was given when it has nothing to say. */
export const stricterSettings = point<(hearth: Hearth, context: PullContext, base_ref: string, settings: Settings) => Settings>('pulls.stricter_settings')

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
