/** Extension points through which later features take part in repositories. */
import type { Oid, Transport } from '#git'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { internalEvent } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { extensionPoint } from '#core/extension-points.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import type { AdvisorySeverity, AffectedVersions } from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'
import type { Timestamp } from '#lib/time.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import type { FoundSecret } from './push/find-secrets.ts'
import type { PreparedUpdate } from './refs/move-refs.ts'
import type { LfsAccess } from './ssh-remote.ts'
import type { RepoRow } from './store/repos.ts'

/**
 * Deletes at most `limit` rows that belong to a purged repository and returns how many. Called
 * until it returns 0, each time in its own transaction, so that purging a large repository blocks
 * no other writer. Needed only for tables that may hold many rows; the others cascade with the
 * repository's row.
 */
export const repoDataRemovers =
  extensionPoint<(tx: Tx, repo_id: string, limit: number) => number>('repos.belongings')

/** One page of the commits that a feature references. */
export type RetainedPage = {
  readonly oids: readonly Oid[]
  /** The cursor of the next page; null after the last. */
  readonly next: string | null
}

/**
 * Commits and other objects that a page shows or an operation will use although no ref may reach
 * them. Garbage collection never deletes them. Read page by page, first with an empty `after`, so
 * that the size of a repository does not matter. Columns that name an object without retaining it
 * are listed with their reason in `keeping-objects.ts`.
 */
export const retainedCommits =
  extensionPoint<(db: Db, repo_id: string, after: string) => RetainedPage>('repos.kept_commits')

/** How many people starred a repository. Called for every repository record. */
export const starCounts =
  extensionPoint<(hearth: Hearth, row: RepoRow) => number>('repos.star_counts')

/**
 * Preloads what a feature contributes to the records of these repositories into the current read
 * scope, so that a list needs one query instead of one per row.
 */
export const repoRecordPreloads =
  extensionPoint<(db: Db, repo_ids: readonly string[]) => void>('repos.lists')

/**
 * Ref moves that a client requests: a push, or an operation that creates, moves, renames or deletes
 * a branch or tag.
 */
export type RequestedMoves = {
  /** The repository, or the fork of a pull request. */
  readonly row: RepoRow
  readonly by: SignedIn
  readonly updates: readonly PreparedUpdate[]
}

/** Why a rule refuses the move of one ref. */
export type RuleViolation = {
  readonly ref: string
  /** The problem in one line. */
  readonly message: string
  /** The problem in one line for a terminal, with the URL that explains it. */
  readonly line: string
  readonly details: Record<string, unknown>
}

export type RuleEvaluation = {
  /** The violations found with everything that git had to be read for. */
  readonly violations: readonly RuleViolation[]
  /**
   * Evaluates the remaining moves again inside the transaction, because rules and refs may have
   * changed, and records bypasses.
   */
  recheck(tx: Tx, updates: readonly PreparedUpdate[]): readonly RuleViolation[]
}

/**
 * Rules that every ref move of a client must pass, through `move-guard.ts`. Merges have their own
 * extension points.
 */
export const moveRules = extensionPoint<{
  ask(hearth: Hearth, question: RequestedMoves): Promise<RuleEvaluation>
  /** Whether a rule forbids a deletion that follows from another action. Synchronous. */
  keeps(hearth: Hearth, question: RequestedMoves): boolean
}>('repos.move_rules')

/**
 * The types of rules for a branch that ask for what only a pull request has. A merge without one is
 * refused where there are any.
 */
export const pullOnlyRules =
  extensionPoint<(hearth: Hearth, row: RepoRow, branch: string, by: SignedIn) => readonly string[]>(
    'repos.pull_only_rules',
  )

/**
 * What features read of the new commits of a push before its transaction, so that reactions can
 * decide without git. The push waits for it. A failure is logged and changes nothing.
 */
export const pushReads =
  extensionPoint<
    (hearth: Hearth, row: RepoRow, updates: readonly PreparedUpdate[]) => Promise<void>
  >('repos.push_reads')

/**
 * Lines that the pusher reads in the terminal after refs have moved, such as faults of files that
 * came with the push. The push waits for them for two seconds, and no longer reads on when `signal`
 * aborts. A failure is logged and changes nothing.
 */
export const pushNotes =
  extensionPoint<
    (
      hearth: Hearth,
      row: RepoRow,
      moved: readonly PreparedUpdate[],
      signal: AbortSignal,
    ) => Promise<readonly string[]>
  >('repos.push_notes')

type ContextState = 'pending' | 'success' | 'failure' | 'error'

/**
 * The state of a commit under one name: from a commit status, or from the workflow of that name.
 */
export type CommitContext = {
  readonly context: string
  /** The latest state from anyone. */
  readonly state: ContextState
  /**
   * The latest state that no agent reported; null when only agents reported. Rules use this one,
   * because agents must not vouch for their own work.
   */
  readonly trusted: ContextState | null
}

/**
 * The latest state of every name for each commit. `repo_id` is the id of a repository, never of a
 * fork.
 */
export const commitContexts =
  extensionPoint<
    (db: Db, repo_id: string, shas: readonly Oid[]) => ReadonlyMap<Oid, readonly CommitContext[]>
  >('repos.commit_contexts')

/** Whether a release of this tag is published. */
export const releasedTags =
  extensionPoint<(db: Db, repo_id: string, tag: string) => boolean>('repos.released_tags')

/** The ids of the published releases of tags, by the names of the tags. */
export const releasesOfTags =
  extensionPoint<(db: Db, repo_id: string, tags: readonly string[]) => ReadonlyMap<string, string>>(
    'repos.releases_of_tags',
  )

/** The ruleset that makes a published release of this tag immutable; null when none does. */
export const frozenReleases =
  extensionPoint<
    (
      hearth: Hearth,
      repo_id: string,
      tag: string,
    ) => { readonly ruleset: string; readonly name: string; readonly url: string } | null
  >('repos.frozen_releases')

/** The run that the token of a job belongs to; null for other tokens. */
export const tokenRuns =
  extensionPoint<
    (
      db: Db,
      token_id: string,
    ) => { readonly run_id: string; readonly sha: string; readonly head_sha: string } | null
  >('repos.token_runs')

/** Why a run failed, for the person who started it. */
export type RunFailure = {
  /** Who started the run or its last attempt; null for a schedule. */
  readonly by: string | null
  readonly workflow_id: string
  readonly ref: string
  /** The workflow, the number of the run and what it ran for. */
  readonly title: string
  /** The first job that failed, with its first error in one line; null when none is known. */
  readonly text: string | null
}

/** Why a run failed; null when it did not, runs again or is gone. */
export const runFailures =
  extensionPoint<(db: Db, run_id: string) => RunFailure | null>('repos.run_failures')

/** The link to a remote that leads, or led until this service took over; null when there is none. */
export const leadingMirrors =
  extensionPoint<
    (
      db: Db,
      repo_id: string,
    ) => { readonly id: string; readonly role: string; readonly state: string } | null
  >('repos.leading_mirrors')

/**
 * Whether pushes and schedules of a repository start no workflows here, because the remote that
 * leads it runs them.
 */
export const remoteWorkflows =
  extensionPoint<(db: Db, repo_id: string) => boolean>('repos.remote_workflows')

/** Folders of workflow files of a repository besides its own ones; the first that exists is read. */
export const workflowFolders =
  extensionPoint<(db: Db, repo_id: string) => readonly string[]>('repos.workflow_folders')

/** Emitted when pushes that the remote should have checked are to be checked here. */
export const workflowsFailedOver = internalEvent(
  'repos.workflows_failed_over',
  Type.Object({ repo_id: Type.String(), event_ids: Type.Array(Type.String()) }),
)

/** Why deployments of a repository wait for an administrator; null when they do not. */
export const deployHolds =
  extensionPoint<(db: Db, repo_id: string) => string | null>('repos.deploy_holds')

/** Emitted when `deployHolds` may answer otherwise. */
export const deployHoldsChanged = internalEvent(
  'repos.deploy_holds_changed',
  Type.Object({ repo_id: Type.String() }),
)

/** Copies a repository from another server. */
export type Importer = {
  /** Throws 422 for `import_url` when the address is not allowed. */
  check(hearth: Hearth, url: string): Promise<void>
  /** Starts to copy into a repository that this transaction created. */
  begin(tx: Tx, row: RepoRow, url: string): void
  /**
   * Whether a repository is being copied, and for 7 days why the last copy failed. Called for every
   * repository record.
   */
  stateOf(
    db: Db,
    repo_id: string,
    now_ms: number,
  ): { readonly importing: boolean; readonly error: string | null }
}
export const importers = extensionPoint<Importer>('repos.importers')

/** Where something beside the refs of a repository is copied from. */
export type CopySource = {
  readonly url: string
  /** A token, or `name:password`; null for public access. */
  readonly secret: string | null
  /** For addresses of SSH: asks the server where its large files are; null when it has none. */
  readonly askLfsAccess?: (operation: 'download' | 'upload') => Promise<LfsAccess | null>
  /** Who is named as the one that brought it. */
  readonly actor_id: string
  readonly signal: AbortSignal
  /** Answers in place of the address, for a repository on this machine. */
  readonly transport?: Transport
  /** Opens a large file of a repository on this machine; null when it is not there. */
  readonly openFile?: (oid: string) => ReadableStream<Uint8Array> | null
}

/**
 * Copies the wiki at a git address, unless the repository has pages already. Returns whether there
 * was one.
 */
export const wikiCopiers =
  extensionPoint<(hearth: Hearth, row: RepoRow, source: CopySource) => Promise<boolean>>(
    'repos.wiki_copiers',
  )

/** What copying large files did, and what is wrong with those that are left out. */
export type CopiedFiles = {
  readonly files: number
  readonly bytes: number
  readonly problems: readonly string[]
  /** Whether the other side has no interface for large files, so that none was copied. */
  readonly unsupported: boolean
}

/** Large files (Git LFS) of a repository and its remote, at the git address of `source`. */
export type LargeFileCopier = {
  /** Downloads the files that these commits name and that are missing here. */
  download(
    hearth: Hearth,
    row: RepoRow,
    source: CopySource,
    commits: { readonly tips: readonly Oid[]; readonly hide: readonly Oid[] },
  ): Promise<CopiedFiles>
  /** Uploads the files that these commits name and that are missing there. */
  upload(
    hearth: Hearth,
    row: RepoRow,
    source: CopySource,
    commits: { readonly tips: readonly Oid[]; readonly hide: readonly Oid[] },
  ): Promise<CopiedFiles>
}
export const largeFileCopiers = extensionPoint<LargeFileCopier>('repos.large_file_copiers')

/** A file of Git LFS that an archive has in place of a pointer. */
export type StoredLargeFile = {
  /** The pointer. */
  readonly blob: Oid
  /** The digest of the file, which is the name of its blob here. */
  readonly sha256: string
  readonly size: number
}

/** The large files of the tree of a commit that are stored here. */
export const storedLargeFiles = extensionPoint<
  (
    hearth: Hearth,
    row: Pick<RepoRow, 'id' | 'parent_id' | 'store'>,
    commit: Oid,
  ) => Promise<readonly StoredLargeFile[]>
>('repos.stored_large_files')

/** A release of another forge. */
export type ImportedRelease = {
  readonly tag_name: string
  readonly target_name: string
  readonly target: Oid
  readonly name: string
  readonly body: string
  readonly prerelease: boolean
  readonly author_id: string
  readonly created_ms: number
  /** Releases of one second are in this order. */
  readonly order: number
  /** Null for a draft. */
  readonly published_ms: number | null
  readonly files: readonly {
    readonly name: string
    readonly content_type: string | null
    readonly sha256: string
    readonly size: number
  }[]
}

/** Adds releases of another forge without events. */
export type ReleaseImporter = {
  /** The names of the files that a release has; null when there is no release of this tag. */
  filesOf(db: Db, repo_id: string, tag_name: string): readonly string[] | null
  /** Adds what is missing. Returns its id and what is wrong with files that are left out. */
  add(
    tx: Tx,
    row: RepoRow,
    release: ImportedRelease,
  ): { readonly id: string; readonly left: readonly string[] }
}
export const releaseImporters = extensionPoint<ReleaseImporter>('repos.release_importers')

/** A file of a text of another forge, whose bytes are a blob already. */
export type ImportedFile = {
  readonly name: string
  /** Its first bytes, which say what it is. */
  readonly head: Uint8Array
  readonly sha256: string
  readonly size: number
  readonly uploader_id: string
  readonly created_ms: number
}

/** Files in texts of another forge. */
export type AttachmentImporter = {
  /** Adds a file. Returns its id, or why it is left out. */
  add(
    tx: Tx,
    row: RepoRow,
    file: ImportedFile,
  ): { readonly id: string } | { readonly problem: string }
  /** The address of a file in a text; null for one that is gone. */
  addressOf(db: Db, row: RepoRow, id: string): string | null
  /** A text of the import names the file, so whoever reads the text sees it. */
  use(tx: Tx, id: string, text_id: string): void
}
export const attachmentImporters = extensionPoint<AttachmentImporter>('repos.attachment_importers')

/** Gives what one actor wrote in a repository to another. */
export const authorChanges =
  extensionPoint<(tx: Tx, repo_id: string, from: string, to: string) => void>(
    'repos.author_changes',
  )

/**
 * The account that owns a signing key, by the key's fingerprint (`SHA256:…`); null when no account
 * does.
 */
export const signingKeys =
  extensionPoint<(db: Db, fingerprint: string) => string | null>('repos.signing_keys')

/** Appended when a signing key was added or removed: cached verifications are no longer valid. */
export const signingKeysChanged = internalEvent('repos.keys_changed', Type.Object({}))

/** Somebody moved a branch to commits of theirs. Merges and updates by the forge are left out. */
export const branchPushed = internalEvent(
  'repos.branch_pushed',
  Type.Object({ repo_id: Type.String(), branch: Type.String(), actor_id: Type.String() }),
)

/**
 * A repository came with its workspace from another forge, refs and all: what a push to its default
 * branch would have started begins now.
 */
export const repoArrived = internalEvent('repos.arrived', Type.Object({ repo_id: Type.String() }))

/** An advisory of the world about one package. */
export type PackageAdvisory = {
  /** As the ecosystem compares names. */
  readonly name: string
  readonly id: string
  readonly modified: string
  readonly summary: string
  readonly severity: AdvisorySeverity | null
  readonly aliases: readonly string[]
  readonly url: string | null
  readonly affected: AffectedVersions
}

/** The advisories of packages. */
export type AdvisorySource = {
  /** What was imported: `revision` changes with it, `updated_at` is null before the first time. */
  readonly state: (db: Db) => { readonly revision: string; readonly updated_at: Timestamp | null }
  /** Those of some packages that were imported, and with a workspace also those it published. */
  readonly list: (
    db: Db,
    ecosystem: Ecosystem,
    names: readonly string[],
    workspace_id: string | null,
  ) => readonly PackageAdvisory[]
  /** A page of the names that advisories are about, in their order. */
  readonly listNames: (
    db: Db,
    ecosystem: Ecosystem,
    after: string,
    limit: number,
  ) => readonly string[]
  /** Those that public repositories of a workspace published. */
  readonly listPublished: (
    db: Db,
    ecosystem: Ecosystem,
    workspace_id: string,
  ) => readonly PackageAdvisory[]
}

export const packageAdvisories = extensionPoint<AdvisorySource>('repos.package_advisories')

/** Where a person may let a refused secret through. */
export type BypassOffer = { readonly placeholder: string; readonly url: string }

/** A secret and where it stands. For a text `commit` is empty, and `path` is its address in the repository. */
export type PlacedSecret = Pick<FoundSecret, 'type' | 'label' | 'secret' | 'path' | 'line'> & {
  readonly commit: string
}

/** What is done with secrets in commits and texts. `home` is a repository, never a fork. */
export const secretFindings = extensionPoint<{
  /** Formats that a repository looks for in addition. */
  customRules(db: Db, home: RepoRow): readonly SecretRule[]
  /** Whether the caller has said that this secret may be pushed. */
  isBypassed(hearth: Hearth, home: RepoRow, by: SignedIn, found: FoundSecret): boolean
  /** Null when the caller cannot let it through. */
  offerBypass(hearth: Hearth, home: RepoRow, by: SignedIn, found: FoundSecret): BypassOffer | null
  /** Opens alerts for secrets that were found in commits, or taken out of a session. */
  record(
    tx: Tx,
    home: RepoRow,
    source: 'push' | 'history' | 'session',
    found: readonly PlacedSecret[],
  ): void
}>('repos.secret_findings')

/** Pages that are kept in commits beside the branches, so that the search finds them. */
export const wikiPages = extensionPoint<{
  /** The commit that holds the pages; null without any. */
  readonly headOf: (db: Db, repo_id: string) => Oid | null
  /** Whether the repository shows them. */
  readonly areShown: (db: Db, repo_id: string) => boolean
  /** Null for a file that is no page. */
  readonly pageOf: (path: string) => { readonly slug: string; readonly title: string } | null
}>('repos.wiki_pages')

/** Whether a workspace has a model for a task that a setting of a repository switches on. */
export const configuredModels =
  extensionPoint<(db: Db, workspace_id: string, task: 'review' | 'triage') => boolean>(
    'repos.configured_models',
  )
