/**
 * Where features that come later have a say in repositories.
 */
import type { Oid } from '#git'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { signal } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { point } from '#core/points.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import type { PreparedUpdate } from './refs.ts'
import type { RepoRow } from './store.ts'

/**
 * Takes away at most `limit` rows that belong to a purged repository, and gives how many. It is
 * asked again until it gives none, each time in a transaction of its own, so that the end of a
 * large repository keeps nobody waiting. Only what may be many belongs here; the rest goes with the
 * repository's row.
 */
export const belongings =
  point<(tx: Tx, repo_id: string, limit: number) => number>('repos.belongings')

/** Some of the commits that a feature shows or will use, whatever refs still reach them. */
export type KeptPage = {
  readonly oids: readonly Oid[] /** Where the next page begins; null behind the last. */
  readonly next: string | null
}

/**
 * Commits (or other objects) of a repository that no ref may name and that a page shows or an
 * operation will use: they are never collected. Asked page by page, the first time with an empty
 * `after`, so that no repository is too large. Rows that name an object and keep nothing are listed
 * with their reason in `keeping-objects.ts`.
 */
export const keptCommits =
  point<(db: Db, repo_id: string, after: string) => KeptPage>('repos.kept_commits')

/** How many people keep a repository among their stars; asked for every record of one. */
export const starCounts = point<(hearth: Hearth, row: RepoRow) => number>('repos.star_counts')

/**
 * Brings what records of these repositories need from a feature into the look that is under way, so
 * that a list asks no more often than one.
 */
export const repoLists = point<(db: Db, repo_ids: readonly string[]) => void>('repos.lists')

/**
 * Moves of refs that a client asks for, before they happen: a push, or an operation that makes,
 * moves, renames or deletes a branch or tag.
 */
export type MoveQuestion = {
  /** The repository, or the fork of a pull request. */
  readonly row: RepoRow
  readonly by: SignedIn
  readonly updates: readonly PreparedUpdate[]
}

/** Why one ref may not move. */
export type Objection = {
  readonly ref: string
  /** What was wrong, in one line. */
  readonly message: string
  /**
   * The whole of it in one line for somebody at a terminal, with the address where more is told.
   */
  readonly line: string
  readonly details: Record<string, unknown>
}

export type MoveRuling = {
  /** What stands against them, from all that git had to be asked for. */
  readonly objections: readonly Objection[]
  /**
   * Looks again inside the transaction that moves what is left, for what may have changed
   * meanwhile, and notes what was let through.
   */
  again(tx: Tx, updates: readonly PreparedUpdate[]): readonly Objection[]
}

/**
 * What must be obeyed by whoever moves refs. Asked through `move-guard.ts` by everything that moves
 * refs for a client; merges have points of their own.
 */
export const moveRules = point<{
  ask(hearth: Hearth, question: MoveQuestion): Promise<MoveRuling>
  /**
   * For a deletion that only follows from something else: whether a rule keeps the branch. Waits
   * for nothing.
   */
  keeps(hearth: Hearth, question: MoveQuestion): boolean
}>('repos.move_rules')

type ContextState = 'pending' | 'success' | 'failure' | 'error'

/**
 * What was said of a commit under one name: by a commit status, or by the workflow of that name.
 */
export type CommitContext = {
  readonly context: string
  /** The latest, whoever said it. */
  readonly state: ContextState
  /**
   * The latest that no agent said; null when only agents said anything. Rules go by this: nobody
   * vouches for their own work.
   */
  readonly trusted: ContextState | null
}

/** The latest of every name for one commit. `repo_id` is that of a repository, never of a fork. */
export const commitContexts =
  point<
    (db: Db, repo_id: string, shas: readonly Oid[]) => ReadonlyMap<Oid, readonly CommitContext[]>
  >('repos.commit_contexts')

/** Whether a release of this tag is published; answered by those who keep releases. */
export const releasedTags =
  point<(db: Db, repo_id: string, tag: string) => boolean>('repos.released_tags')

/** The id of the published release of a tag; null when there is none. */
export const releaseOfTag =
  point<(db: Db, repo_id: string, tag: string) => string | null>('repos.release_of_tag')

/**
 * The address and name of a ruleset that keeps a published release of this tag as it is; null when
 * none does.
 */
export const frozenReleases =
  point<
    (
      hearth: Hearth,
      repo_id: string,
      tag: string,
    ) => { readonly ruleset: string; readonly name: string; readonly url: string } | null
  >('repos.frozen_releases')

/** Copying a repository from elsewhere, which is more than this room does. */
export type Importer = {
  /** Gives 422 for `import_url` when the address may not be asked. */
  check(hearth: Hearth, url: string): Promise<void>
  /** Begins to copy into a repository that was made in this transaction. */
  begin(tx: Tx, row: RepoRow, url: string): void
  /**
   * Whether a repository is being copied, and for some days why the last copy failed; asked for
   * every record of one.
   */
  stateOf(
    db: Db,
    repo_id: string,
    now_ms: number,
  ): { readonly importing: boolean; readonly error: string | null }
}
export const importers = point<Importer>('repos.importers')

/**
 * Whose key it is that a commit or tag was signed with, by its fingerprint (`SHA256:…`); null when
 * no account has it.
 */
export const signingKeys =
  point<(db: Db, fingerprint: string) => string | null>('repos.signing_keys')

/**
 * Told by whoever answers it, when a key came or went: what signatures prove is to be found anew.
 */
export const keysChanged = signal('repos.keys_changed', Type.Object({}))
