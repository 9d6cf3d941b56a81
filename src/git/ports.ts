/**
 * The interface between the git room and its host. It has values only: object ids, names, bytes and
 * streams; no users, no rights, no SQL. The terms are git's own
 * (https://git-scm.com/docs/gitglossary).
 */

import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import type {
  FetchResult,
  FetchFromOptions,
  RefMove,
  RefMoveSummary,
  PushReport,
  PushToOptions,
  RemoteOptions,
  RemoteRefs,
  Transport,
} from './client/ports.ts'

/** A SHA-1 object id as 40 lowercase hex digits. */
export type Oid = string

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** An object as git stores it: its type and its uncompressed content, without the header. */
export type GitObject = { readonly type: ObjectType; readonly data: Uint8Array }

/**
 * Reads objects by id; null when an object is missing. Implementations are synchronous, because hot
 * loops depend on it.
 */
export interface ObjectReader {
  read(oid: Oid): GitObject | null
  /** The type and the size in bytes without inflating more than needed. */
  header(oid: Oid): { type: ObjectType; size: number } | null
  has(oid: Oid): boolean
  /** Like `read`, in memory that is valid only until the next call; for hot loops. */
  view?(oid: Oid): GitObject | null
  /** Two objects in such memory, both valid until the next call. */
  viewBoth?(first: Oid, second: Oid): readonly [GitObject, GitObject] | null
  /** The first bytes of an object, at most `maxBytes`, without the memory that all of it takes. */
  readStart?(oid: Oid, maxBytes: number): (GitObject & { readonly size: number }) | null
  /** The object in new blocks, null where the work pauses; for objects that are too large for memory. */
  blocks?(oid: Oid): Iterable<Uint8Array | null>
  /**
   * Reserves memory for work on large objects before it is done. Returns what releases it. Throws
   * GitError `busy` when other work holds the memory, and `too_large` when it can never be had.
   */
  hold?(bytes: number): () => void
  /** Ids that begin with a prefix, at most `limit`. */
  expand?(prefix: string, limit: number): readonly Oid[]
  /** The number of objects, in which one that is in several packs counts several times. */
  approximateCount?(): number
  /** Commits at which history ends although they name parents, as git shows them. */
  readonly shallowRoots?: ReadonlySet<Oid> | null
}

export type ArchiveOptions = {
  readonly format: 'zip' | 'tar' | 'tar.gz'
  /** The folder of all entries; '' for none. */
  readonly prefix: string
  /** One directory or file of the tree, with its full path. */
  readonly path?: string
  /** Refs at the commit, sorted, and the ref of HEAD, for the placeholders `%d` and `%D`. */
  readonly refs?: readonly Ref[]
  readonly head?: string
  /** All tags, sorted, for `%(describe)`. */
  readonly tags?: readonly Ref[]
  /** The time in milliseconds since 1970 for `%ar`; the current time by default. */
  readonly nowMs?: number
  /** Files of Git LFS that take the place of their pointers, where `filter=lfs` applies. */
  readonly largeFiles?: readonly ArchivedLargeFile[]
}

/** A file of Git LFS on this disk, and the blob that is its pointer. */
export type ArchivedLargeFile = {
  readonly blob: Oid
  readonly path: string
  readonly size: number
}

/** Adds objects; they become durable when the writer's owner says so (`Store.write`). */
export interface ObjectWriter {
  write(type: ObjectType, data: Uint8Array): Oid
}

export type ObjectDatabase = ObjectReader & ObjectWriter

/** A ref with its value. `peeled` is the object that an annotated tag points at; null otherwise. */
export type Ref = { readonly name: string; readonly oid: Oid; readonly peeled: Oid | null }

/** All refs of one namespace at one time, sorted by name in byte order. */
export type RefSnapshot = {
  /** Changes whenever a ref of the namespace changes; responses are cached by it. */
  readonly generation: string
  /** The full name that HEAD points at, whether or not that ref exists (`refs/heads/main`). */
  readonly head: string
  readonly refs: readonly Ref[]
}

/**
 * One command of a push. `old` is null for a new ref, `new` for a deletion (git-receive-pack, "ref
 * update").
 */
export type RefUpdate = {
  readonly name: string
  readonly old: Oid | null
  readonly new: Oid | null
}

/** The host's result for one command: accepted, or refused with a one-line reason for the user. */
export type RefResult = {
  readonly name: string
  readonly refused: string | null
  /**
   * More lines for the user, sent before the report to clients with a side band (gitprotocol-pack,
   * "side-band").
   */
  readonly lines?: readonly string[]
}

/**
 * The identity line of a commit or tag. `time` is in seconds since 1970, `zone` in git's form
 * (`+0200`).
 */
export type Signature = {
  readonly name: string
  readonly email: string
  readonly time: number
  readonly zone: string
}

/** A signature and the bytes that it signs. */
export type ObjectSignature = { readonly armored: string; readonly signed: Uint8Array }

/** A parsed commit. `message` is decoded as UTF-8; invalid bytes become U+FFFD. */
export type Commit = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly author: Signature
  readonly committer: Signature
  readonly message: string
  readonly signature: ObjectSignature | null
}

/** A parsed annotated tag. */
export type Tag = {
  readonly oid: Oid
  readonly object: Oid
  readonly type: ObjectType
  readonly name: string
  readonly tagger: Signature | null
  readonly message: string
  readonly signature: ObjectSignature | null
}

export type TreeEntryType = 'file' | 'dir' | 'symlink' | 'submodule'

/**
 * An entry of a tree. `path` is relative to the requested tree; `mode` is git's octal text
 * (`100644`).
 */
export type TreeEntry = {
  readonly path: string
  readonly name: string
  readonly type: TreeEntryType
  readonly mode: string
  readonly oid: Oid
  /** The size in bytes of files and symlinks when requested; otherwise null. */
  readonly size: number | null
}

export type ListTreeOptions = {
  readonly recursive?: boolean
  readonly sizes?: boolean
  /** Of a recursive listing only entries with these names. One `*` stands for any text. */
  readonly names?: readonly string[]
  /** Only the entries from this one on, and at most so many. The others take no memory. */
  readonly offset?: number
  readonly limit?: number
}

export type OutlineOptions = {
  readonly limit: number
  /** The name of an entry that is listed even when it is not among the first. */
  readonly include: string | null
}
export type TreeOutlineEntry = { readonly name: string; readonly folder: boolean }
export type TreeOutline = {
  readonly entries: readonly TreeOutlineEntry[]
  /** The number of all entries of the directory. */
  readonly total: number
}

export type FileStatus = 'added' | 'modified' | 'removed' | 'renamed' | 'copied' | 'type_changed'

/**
 * A line of a hunk. `old` and `new` are line numbers from 1, null where the side lacks the line.
 */
export type DiffLine = {
  readonly kind: 'context' | 'add' | 'del'
  readonly old: number | null
  readonly new: number | null
  readonly text: string
  /** True for the last line of a file that does not end in a newline. */
  readonly no_newline: boolean
}

/** A hunk as in a unified diff header; `heading` is the text after the second `@@`. */
export type Hunk = {
  readonly old_start: number
  readonly old_lines: number
  readonly new_start: number
  readonly new_lines: number
  readonly heading: string
  readonly lines: readonly DiffLine[]
}

/**
 * The change of one path between two trees. `hunks` is null where they were not computed; `reason`
 * says why.
 */
export type FileDiff = {
  readonly path: string
  readonly old_path: string | null
  readonly status: FileStatus
  readonly old_oid: Oid | null
  readonly new_oid: Oid | null
  readonly mode: string | null
  readonly old_mode: string | null
  readonly similarity: number | null
  readonly binary: boolean
  readonly additions: number
  readonly deletions: number
  readonly hunks: readonly Hunk[] | null
  readonly reason: 'too_large' | 'binary' | 'page_limit' | null
  /** The attribute `linguist-generated`; null when it is unspecified. */
  readonly generated: boolean | null
}

export type DiffOptions = {
  /** Only these paths (a file, or a directory and all below it). */
  paths?: readonly string[]
  /** Lines of context around a change, 3 by default. */
  context?: number
  /** Whether hunks are wanted; without them only statuses and counts are computed. */
  hunks?: boolean
  /**
   * Skips this many files, and computes hunks for at most `limit` files. Status and counts are
   * always complete.
   */
  skip?: number
  limit?: number
  /** Ignore changes in white space (`git diff -w`). */
  ignoreWhitespace?: boolean
  /** A file over this many changed lines or bytes has no hunks and reason `too_large`. */
  maxLines?: number
  maxBytes?: number
}

export type Diff = {
  readonly files: readonly FileDiff[]
  readonly totals: {
    readonly files: number
    readonly additions: number
    readonly deletions: number
  }
}

export type LogOptions = {
  /** The start commits; several give their union. */
  tips: readonly Oid[]
  /** Excludes everything reachable from these (`^hide`). */
  hide?: readonly Oid[]
  /** Only commits that change this path. */
  path?: string
  /** Follow the path through renames (one file only). */
  follow?: boolean
  /** A substring of the author's name or address, without regard to case. */
  author?: string
  /** Committer time bounds, seconds since 1970. */
  since?: number
  until?: number
  skip?: number
  limit?: number
  firstParent?: boolean
}

export type SliceOptions = {
  /** What the last slice returned; null for the first one. */
  readonly state: Uint8Array | null
  /** The slice ends after this time, or after skipping what is counted took as long. */
  readonly maxMs: number
  /** Commits that claim a later time count as made now. */
  readonly nowMs: number
}

type HistoryTotals = {
  readonly commits: number
  readonly additions: number
  readonly deletions: number
}

/** What is counted of a history. Times are Mondays in seconds since 1970. */
export type HistorySummary = {
  /** The commit that is counted, or being counted: `walked` of `total` commits are done. */
  readonly head: Oid | null
  readonly walked: number
  readonly total: number
  /** Weeks with commits, oldest first. */
  readonly weeks: readonly (HistoryTotals & { readonly start: number })[]
  readonly authors: number
  /** The authors with the most commits, by address. `weeks` are those with commits. */
  readonly contributors: readonly (HistoryTotals & {
    readonly name: string
    readonly email: string
    readonly weeks: readonly (readonly [start: number, commits: number])[]
  })[]
}

export type HistorySlice = {
  /** For the next slice, also of a later commit. */
  readonly state: Uint8Array
  readonly summary: HistorySummary
  readonly isComplete: boolean
}

export type BlameRange = {
  readonly from_line: number
  readonly to_line: number
  readonly commit: Commit
  readonly path: string
}

/** The last commit that changed an entry of a directory. */
export type LastCommit = { readonly name: string; readonly commit: Commit }

/** A cached result for an earlier commit: the last commits of the entries of the same directory. */
export type CachedLastCommits = {
  readonly commit: Oid
  readonly entries: readonly { readonly name: string; readonly oid: Oid }[]
}

/** A cached result for all lines of a file at an earlier commit. */
export type CachedBlame = {
  readonly commit: Oid
  readonly path: string
  readonly ranges: readonly {
    readonly from_line: number
    readonly to_line: number
    readonly oid: Oid
    readonly path: string
  }[]
}

export type MergeMethod = 'merge' | 'squash' | 'rebase'

/** A three-way merge of trees: the merged tree, or the paths in conflict (never both). */
export type TreeMerge = { readonly tree: Oid } | { readonly conflicts: readonly string[] }

/** A stretch of a file in conflict: merged lines, or the three versions of one conflict. */
export type MergePart =
  | { readonly kind: 'merged'; readonly data: Uint8Array }
  | {
      readonly kind: 'conflict'
      readonly base: Uint8Array
      readonly ours: Uint8Array
      readonly theirs: Uint8Array
    }

/** A path in conflict. */
export type ConflictedFile = {
  readonly path: string
  /**
   * Whether a `Resolution` can settle it. False for two renames, or a file and a directory of one
   * name.
   */
  readonly isAboutContent: boolean
  readonly inBase: boolean
  readonly inOurs: boolean
  readonly inTheirs: boolean
  /** The content by parts. Null for binary and large files, links, and a side that deleted it. */
  readonly parts: readonly MergePart[] | null
}

/** The conflicts of a merge; `total` counts those that the limits left out too. */
export type MergeConflicts = { readonly files: readonly ConflictedFile[]; readonly total: number }

/** Text is read of files up to `maxFileBytes` (all three versions), and up to `maxBytes` in all. */
export type ConflictLimits = {
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxBytes: number
}

/** Resolves the conflict of one path: a version of one side (perhaps its deletion), or content. */
export type Resolution =
  | { readonly path: string; readonly take: 'ours' | 'theirs' }
  | { readonly path: string; readonly take: 'content'; readonly data: Uint8Array }

/**
 * The result of a merge: the commit to move the ref to, with its objects on disk; or the paths in
 * conflict.
 */
export type MergeResult =
  | { readonly commit: Oid; readonly tree: Oid }
  | { readonly conflicts: readonly string[] }

/** One change of `commitFiles`. */
export type FileChange =
  | {
      readonly action: 'put'
      readonly path: string
      readonly data: Uint8Array
      readonly mode?: '100644' | '100755' | '120000'
    }
  | { readonly action: 'delete'; readonly path: string }
  | { readonly action: 'move'; readonly path: string; readonly from: string }

/** Thrown for faults of the input: a corrupt pack, a missing object, an invalid name. */
export class GitError extends Error {
  constructor(
    readonly code:
      | 'missing'
      | 'corrupt'
      | 'invalid'
      | 'too_large'
      | 'unsupported'
      | 'aborted'
      | 'busy'
      | 'late',
    message: string,
  ) {
    super(message)
    this.name = 'GitError'
  }
}

/** Options of a streamed response. */
/** Takes the bytes of a response. */
export type ResponseSink = {
  /**
   * Adds bytes to the response. `taken` is called when the reader wants more; from then on the sink
   * does not use the memory of these bytes.
   */
  put(bytes: Uint8Array, taken?: () => void): void
  /** Calls `handler` when the reader cancels before the end. */
  onCancel(handler: () => void): void
}

export type ResponseOptions = {
  readonly signal?: AbortSignal
  /** Called when bytes are sent to the reader, and when the reader has taken them. */
  readonly onProgress?: () => void
  /** Called once when the stream has ended: completely, with an error, or cancelled. */
  readonly onEnd?: () => void
}

export type ArchiveResponseOptions = ResponseOptions & {
  /** Only these bytes of the archive are sent. */
  readonly range?: { readonly start: number; readonly length: number }
  /** Called when the whole archive was written, with its size. */
  readonly onWhole?: (size: number) => void
}

/** A request to a service: the protocol version (the `Git-Protocol` header) and the body. */
export type ServiceRequest = ResponseOptions & {
  readonly protocol: 0 | 1 | 2
  /**
   * The body without Content-Encoding. The engine owns the chunks of the stream and may recycle
   * their memory.
   */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null
  /**
   * Called before a full clone is packed and not taken from the cache. An error that it throws
   * refuses the clone.
   */
  readonly onFullClone?: () => void
  /**
   * Returns where a bundle is that a client may download before it fetches, for version 2's command
   * `bundle-uri`; null when there is none. It may be relative to the address of the repository.
   */
  readonly bundleUri?: () => Promise<string | null>
}

/** A received push: the parsed commands; the objects of its pack are already on disk. */
export type Push = {
  readonly updates: readonly RefUpdate[]
  readonly options: readonly string[]
  readonly atomic: boolean
  /** The size of the received pack; 0 for deletions only. */
  readonly packBytes: number
  /**
   * Whether the pack was too large to scan for SHA-1 collision attacks; `findSha1Collisions` does
   * that.
   */
  readonly unscanned: boolean
  /** What signs the updates; null for a push without signature. */
  readonly certificate: PushCertificate | null
}

export type PushRequest = ServiceRequest & {
  /**
   * Whether the body may stay open after the pack, because the client waits for the report on the
   * same connection.
   */
  readonly isConversation?: boolean
  /** Moves the refs. */
  readonly apply: (push: Push) => Promise<readonly RefResult[]>
  /**
   * Why a certificate is refused, null for none. Called before the pack is read, while its nonce is
   * young. Without it, signed pushes are refused.
   */
  readonly certificateProblem?: (certificate: PushCertificate) => string | null
  /** Why no push is possible now, null when it is. Called before the pack is read. */
  readonly problem?: () => string | null
}

/** The certificate of a signed push (gitprotocol-pack, "Push Certificate"). Nothing is verified. */
export type PushCertificate = {
  /** Who signs: a key and a time, as the client writes them. */
  readonly pusher: string
  /** The address that the client pushes to. */
  readonly pushee: string | null
  readonly nonce: string | null
  readonly options: readonly string[]
  /** The text that the signature is of; its commands are those of the push. */
  readonly signed: string
  /** The signature in its armour. */
  readonly signature: string
}

export type MaintainOptions = {
  /**
   * How long unreachable objects are kept, from when they were first found unreachable. Without it
   * all are kept.
   */
  readonly graceMs?: number
  /** The time in milliseconds since 1970; the current time by default. */
  readonly nowMs?: number
  /**
   * Further objects to retain, in parts, as far as they exist. Read after `tips`, so that an id
   * that moves from refs to here is not missed.
   */
  readonly retained?: Iterable<readonly Oid[]>
  /**
   * Returns the current refs of all forks. Called in the same turn of the event loop in which packs
   * are removed, so that a new ref retains its objects.
   */
  readonly readCurrentTips?: () => readonly Oid[]
  readonly signal?: AbortSignal
}

/**
 * The engine. A store holds the objects of a repository and its forks; its name is a single path
 * segment below the root. Forks differ only in the snapshot of refs that the host passes. All
 * functions throw GitError for missing or corrupt objects.
 */
export interface Git {
  /** Creates an empty store; does nothing when it exists. */
  createStore(store: string): Promise<void>
  /** Removes a store and everything in it. */
  removeStore(store: string): Promise<void>
  /** The size in bytes, including offloaded packs. */
  sizeOf(store: string): Promise<number>
  /**
   * Resolves when all packs of a store are on this disk (`GitOptions.remotePacks`); null when they
   * are. All other functions wait for that themselves; this is for hosts that want to report
   * failures early.
   */
  ensureLocal(store: string): Promise<void> | null
  /** Closes the files of a store, so that the disk space of removed files becomes free. */
  closeFiles(store: string): void

  /**
   * The body of `GET info/refs?service=…` of smart HTTP. With `store`, versions 0 and 1 name the
   * commits at which a shallow history ends. `hasBundles` offers version 2's command `bundle-uri`.
   * `pushNonce` offers signed pushes, whose certificate must hold it.
   */
  advertise(
    service: 'git-upload-pack' | 'git-receive-pack',
    refs: RefSnapshot,
    protocol: 0 | 1 | 2,
    options?: {
      readonly store?: string
      readonly hasBundles?: boolean
      readonly pushNonce?: string
    },
  ): Uint8Array
  /**
   * The response to a `POST git-upload-pack` that only lists refs (ls-refs of version 2). Null for
   * any other request, which `uploadPack` handles.
   */
  listRefs(refs: RefSnapshot, protocol: 0 | 1 | 2, body: Uint8Array): Uint8Array | null
  /**
   * The response to a fetch that is cached, or small enough to be packed on the calling thread.
   * Null for any other request, which `uploadPack` handles. Errors of `onFullClone` are passed on.
   */
  uploadPackSync(
    store: string,
    refs: RefSnapshot,
    request: {
      readonly protocol: 0 | 1 | 2
      readonly body: Uint8Array
      readonly onFullClone?: () => void
    },
  ): Uint8Array | { readonly path: string; readonly size: number } | null
  /**
   * Handles a `POST git-upload-pack` (ls-refs, fetch, object-info). It sends only objects that
   * `refs` reaches.
   */
  uploadPack(store: string, refs: RefSnapshot, request: ServiceRequest): ReadableStream<Uint8Array>
  /**
   * The same for hosts that handle short responses and files specially. A short response is
   * returned whole. For a response that is cached on disk, its path and size are returned; the file
   * can be opened for one minute. Rejects with GitError `aborted` for a request that is cancelled
   * before the response begins, and with the error of the body.
   */
  uploadPackOrFile(
    store: string,
    refs: RefSnapshot,
    request: ServiceRequest,
  ): Promise<
    Uint8Array | ReadableStream<Uint8Array> | { readonly path: string; readonly size: number }
  >
  /**
   * The same, with the bytes put into `sink` as they are made. Resolves with null when all were put,
   * or with the file of a response that is cached on disk, and then nothing was put.
   */
  uploadPackInto(
    store: string,
    refs: RefSnapshot,
    request: ServiceRequest,
    sink: ResponseSink,
  ): Promise<{ readonly path: string; readonly size: number } | null>
  /**
   * A bundle (gitformat-bundle) of a commit with everything below it, as the ref `name`. Cached and
   * returned as by `uploadPackOrFile`. Rejects with GitError `missing` for a commit that `refs` does
   * not reach.
   */
  bundle(
    store: string,
    refs: RefSnapshot,
    tip: { readonly name: string; readonly oid: Oid },
    options?: ResponseOptions & Pick<ServiceRequest, 'onFullClone'>,
  ): Promise<
    Uint8Array | ReadableStream<Uint8Array> | { readonly path: string; readonly size: number }
  >
  /**
   * Handles a `POST git-receive-pack`: reads the commands, checks and stores the pack, passes the
   * push to `apply`, and reports its results. `apply` moves the refs in the host's transaction. It
   * is not called when the pack is refused.
   */
  receivePack(store: string, refs: RefSnapshot, request: PushRequest): ReadableStream<Uint8Array>

  /**
   * The only commit id that starts with `prefix` (4 to 40 hex digits); null when none or several
   * do.
   */
  expandPrefix(store: string, prefix: string): Promise<Oid | null>
  /** Follows annotated tags to a commit; null when the object is no commit. */
  peelToCommit(store: string, oid: Oid): Promise<Oid | null>
  readCommit(store: string, oid: Oid): Promise<Commit | null>
  readTag(store: string, oid: Oid): Promise<Tag | null>
  /**
   * Whether a commit is reachable from any of the tips. Every id that a caller names is checked
   * with it.
   */
  isReachable(store: string, oid: Oid, tips: readonly Oid[]): Promise<boolean>
  /** Those of the tips that reach a commit, or are it. */
  findReachingTips(store: string, oid: Oid, tips: readonly Oid[]): Promise<readonly Oid[]>
  log(store: string, options: LogOptions): Promise<readonly Commit[]>
  /** The number of commits that `log` would return without skip and limit. */
  countCommits(store: string, options: LogOptions): Promise<number>
  findMergeBases(store: string, a: Oid, b: Oid): Promise<readonly Oid[]>
  countAheadBehind(
    store: string,
    head: Oid,
    base: Oid,
  ): Promise<{ ahead: number; behind: number; mergeBase: Oid | null }>

  /**
   * The entries of the directory at `path` of a commit ('' is the root); null when there is none.
   */
  listTree(
    store: string,
    commit: Oid,
    path: string,
    options?: ListTreeOptions,
  ): Promise<readonly TreeEntry[] | null>
  /** The first entries of the directory at `path`, folders first; null when there is none. */
  outlineTree(
    store: string,
    commit: Oid,
    path: string,
    options: OutlineOptions,
  ): Promise<TreeOutline | null>
  /** The entry at a path of a commit, or null. */
  findEntry(store: string, commit: Oid, path: string): Promise<TreeEntry | null>
  /**
   * The entries at several paths of a commit, in their order, read on a thread. For commits that
   * were just pushed: their pack is open on a thread, and not on the calling one.
   */
  findEntries(
    store: string,
    commit: Oid,
    paths: readonly string[],
  ): Promise<readonly (TreeEntry | null)[]>
  /** The bytes of a blob; only the first `maxBytes` of a larger one. */
  readBlob(
    store: string,
    oid: Oid,
    maxBytes?: number,
  ): Promise<{ data: Uint8Array; size: number } | null>
  /**
   * Of the first 10,000 entries. `known` are cached results for earlier commits; only the commits
   * since then are walked.
   */
  findLastCommits(
    store: string,
    commit: Oid,
    path: string,
    known?: readonly CachedLastCommits[],
  ): Promise<readonly LastCommit[]>
  blame(
    store: string,
    commit: Oid,
    path: string,
    range?: { from: number; to: number },
    known?: readonly CachedBlame[],
  ): Promise<readonly BlameRange[]>
  /** The files that the last commits changed most often, busiest first. Merges do not count. */
  findBusyPaths(
    store: string,
    commit: Oid,
    most: { readonly commits: number; readonly paths: number },
  ): Promise<readonly string[]>
  /**
   * Counts commits and changed lines by week and author, for a limited time. The host calls it again
   * with the returned state until the slice is complete. With the state of an earlier commit, only
   * the commits since then are counted.
   */
  summarizeHistory(store: string, head: Oid, options: SliceOptions): Promise<HistorySlice>
  /** Bytes by language of a commit's tree, largest first. */
  measureLanguages(
    store: string,
    commit: Oid,
  ): Promise<readonly { language: string; bytes: number }[]>

  /** Compares two commits or trees; null is the empty tree. */
  diff(store: string, from: Oid | null, to: Oid | null, options?: DiffOptions): Promise<Diff>
  /**
   * Compares an earlier version of a branch, after `onto` is merged into it, with the current
   * version. Null when that merge conflicts. Nothing is stored.
   */
  interdiff(
    store: string,
    range: { since: Oid; onto: Oid; head: Oid },
    options?: DiffOptions,
  ): Promise<Diff | null>
  /** The comparison as one unified patch, as `git diff` writes it. */
  patch(store: string, from: Oid | null, to: Oid | null, options?: DiffOptions): Promise<string>

  /** The result of merging `theirs` into `ours`. Nothing is stored. */
  previewMerge(store: string, ours: Oid, theirs: Oid): Promise<TreeMerge>
  /** The conflicts of merging `theirs` into `ours`, with the text of each. Nothing is stored. */
  findConflicts(
    store: string,
    ours: Oid,
    theirs: Oid,
    limits: ConflictLimits,
  ): Promise<MergeConflicts>
  /**
   * Merges `head` into `base` and stores the result: a merge commit, a squash commit or the rebased
   * commits.
   */
  merge(
    store: string,
    options: {
      method: MergeMethod
      base: Oid
      head: Oid
      message: string
      author: Signature
      committer: Signature
      /** Added to the message of each rebased commit. */
      trailers?: readonly string[]
      /** Replace conflicts of single paths; not for `rebase`. `ours` is `base` here. */
      resolutions?: readonly Resolution[]
    },
  ): Promise<MergeResult>
  /**
   * Creates a commit on `base` that reverts the change between two commits (or trees), like `git
   * revert`. If nothing is left to revert, the commit is `base`.
   */
  revert(
    store: string,
    options: {
      base: Oid
      from: Oid
      to: Oid
      message: string
      author: Signature
      committer: Signature
    },
  ): Promise<MergeResult>
  /**
   * Creates one commit on `parent` (null creates a root commit) with these changes; all or nothing.
   */
  commitFiles(
    store: string,
    options: {
      parent: Oid | null
      changes: readonly FileChange[]
      message: string
      author: Signature
      committer: Signature
    },
  ): Promise<{ commit: Oid; tree: Oid }>
  createTag(
    store: string,
    options: { object: Oid; name: string; message: string; tagger: Signature },
  ): Promise<Oid>

  /**
   * A part of a blob: a short one whole, otherwise a stream that has begun. A reader holds one block
   * of 64 KiB, whatever the size of the blob.
   */
  streamBlob(
    store: string,
    oid: Oid,
    range: { readonly start: number; readonly length: number },
    sending?: ResponseOptions,
  ): Promise<Uint8Array | ReadableStream<Uint8Array>>
  /**
   * A zip or tar of a commit's tree below one folder, as `git archive` makes it: a short one whole,
   * otherwise a stream that has begun.
   */
  archive(
    store: string,
    commit: Oid,
    options: ArchiveOptions,
    sending?: ArchiveResponseOptions,
  ): Promise<Uint8Array | ReadableStream<Uint8Array>>

  /** Lists the refs of a remote. Throws RemoteError when it is no git server. */
  listRemote(transport: Transport, options: RemoteOptions): Promise<RemoteRefs>
  /**
   * Fetches from a remote. The objects are in the store when `options.apply` is called, which moves
   * the refs.
   */
  fetchFrom(store: string, transport: Transport, options: FetchFromOptions): Promise<FetchResult>
  /** Pushes to a remote what the given refs reach. */
  pushTo(store: string, transport: Transport, options: PushToOptions): Promise<PushReport>
  /** Describes moves of refs; new refs are compared with `trunk`. */
  summarizeRefMoves(
    store: string,
    moves: readonly RefMove[],
    trunk: Oid | null,
  ): Promise<readonly RefMoveSummary[]>

  /**
   * Finds a pattern in what commits add compared with all of their parents, in the first 8 MiB of
   * each file.
   */
  searchAdded(store: string, search: AddedSearch, signal?: AbortSignal): Promise<AddedMatches>

  /** Finds the pointers of Git LFS that commits add, where `filter=lfs` applies to them. */
  findAddedPointers(
    store: string,
    search: AddedPointersSearch,
    signal?: AbortSignal,
  ): Promise<AddedPointers>
  /** The pointers of Git LFS in the tree of a commit, where `filter=lfs` applies; at most `limit`. */
  listPointers(store: string, commit: Oid, limit: number): Promise<readonly TreePointer[]>

  /**
   * Scans the objects that `tips` reach and `hide` do not for SHA-1 collision attacks, and returns
   * the ids found. Reads all of them. `hide` are commits.
   */
  findSha1Collisions(
    store: string,
    range: { readonly tips: readonly Oid[]; readonly hide?: readonly Oid[] },
    signal?: AbortSignal,
  ): Promise<readonly Oid[]>

  /**
   * Combines small packs, and rewrites bitmaps and the commit-graph. `tips` are all refs of all
   * forks. One round indexes a limited number of commits, newest first; `unindexed` are left for
   * the next. With `graceMs`, unreachable objects move to a cruft pack, and a later round drops
   * them; `dropped` counts those. Throws GitError `missing` when an object that a ref needs is
   * missing; then nothing is removed.
   */
  maintain(
    store: string,
    tips: readonly Oid[],
    options?: MaintainOptions,
  ): Promise<{ packs: number; bytes: number; unindexed: number; dropped: number }>
  /**
   * Rebuilds the index of a pack. Throws GitError `corrupt` when the pack itself is damaged; then
   * nothing has changed.
   */
  rebuildIndex(store: string, pack: string): Promise<void>
  /** Reads all objects and returns the faults, one line each; none means intact. */
  verify(store: string, tips: readonly Oid[]): Promise<readonly string[]>
  /** Writes a plain bare repository that git reads. */
  exportBare(store: string, refs: RefSnapshot, directory: string): Promise<void>

  /** The operations on packs, and the reads of history, that run and wait now. */
  load(): Load

  /** Waits for running work and ends the workers. */
  close(): Promise<void>
}

/** A search in what the commits add that `tips` reach and `hide` do not. */
/** What is searched for: an expression, or secrets in all formats that the forge knows. */
export type SearchedFor =
  | {
      /** Strings, one of which every match contains; files without any are skipped. */
      readonly words: readonly string[]
      /**
       * A regular expression over bytes as Latin-1. It must take linear time, since files are
       * untrusted.
       */
      readonly pattern: string
    }
  | {
      /** All formats that the forge knows, or only those of `custom`. */
      readonly matcher: 'secrets' | 'custom'
      /** Formats in addition. */
      readonly custom?: readonly SecretRule[]
    }

export type AddedSearch = SearchedFor & {
  readonly tips: readonly Oid[]
  readonly hide?: readonly Oid[]
  /** The search stops after so many commits, bytes of files, or matches (1,000 by default). */
  readonly limits?: {
    readonly commits?: number
    readonly bytes?: number
    readonly matches?: number
    /** And after so much time, which counts from the first commit. */
    readonly milliseconds?: number
  }
}

/** A search for pointers in what the commits add that `tips` reach and `hide` do not. */
export type AddedPointersSearch = {
  readonly tips: readonly Oid[]
  readonly hide?: readonly Oid[]
  /** Whether pointers count without `filter=lfs` too. */
  readonly anyPath?: boolean
  /** The search stops after so many commits or pointers. */
  readonly limits?: { readonly commits?: number; readonly pointers?: number }
}

/** Files of Git LFS by their digests, each with one path where a commit added its pointer. */
export type AddedPointers = {
  readonly pointers: readonly {
    readonly path: string
    readonly oid: string
    readonly size: number
  }[]
  /** False when a limit was reached before the end. */
  readonly complete: boolean
}

/** A blob that is a pointer of Git LFS, and the file that it stands for. */
export type TreePointer = { readonly blob: Oid; readonly oid: string; readonly size: number }

export type AddedMatch = {
  readonly commit: Oid
  readonly path: string
  readonly line: number
  readonly text: string
  /** The format of a secret; null for a match of an expression. */
  readonly rule: SecretRule | null
}

export type AddedMatches = {
  readonly matches: readonly AddedMatch[]
  /** The number of commits that were searched, newest first. */
  readonly commits: number
  /** False when a limit was reached before the end. */
  readonly complete: boolean
}

/** On whose behalf the engine works. Heavy work waits in one queue for each principal. */
export type Principal = {
  readonly id: string
  /**
   * When reading for it is given up (GitError `late`), as `performance.now()` tells the time; null
   * is never.
   */
  readonly deadlineMs: number | null
}

/** Heavy work that runs and waits now. */
export type Load = {
  readonly packs: { readonly running: number; readonly waiting: number }
  readonly reads: { readonly running: number; readonly waiting: number }
}

/** Settings of the engine; sizes in bytes. */
export type GitOptions = {
  /** The directory of the stores. */
  root: string
  /** The directory in which packs are received; on the same file system as `root`. */
  tmp: string
  /**
   * Another process may use the same root: nothing is swept at start, and temporary files have a
   * directory per process.
   */
  sharedRoot?: boolean
  /**
   * Milliseconds of the calling thread that one small fetch may take (`uploadPackSync`), 4 by
   * default; 0 leaves all fetches to threads.
   */
  mainThreadFetchMs?: number
  /** Worker threads for heavy work; 0 runs everything on the calling thread (tests). */
  workers?: number
  /** The memory for all caches and indexers together. */
  memoryBudget?: number
  /** Disk space below `tmp` for cached responses to repeated fetches; 0 caches none on disk. */
  responseCacheBytes?: number
  maxPackBytes?: number
  maxObjectBytes?: number
  maxObjects?: number
  /**
   * When pushes may hold the faults of old history that imports may hold (`pack/fsck.ts`): never,
   * the default, always, or into a namespace without refs.
   */
  oldFaults?: 'never' | 'first_push' | 'always'
  /** Operations on packs that run at the same time; others wait. */
  concurrency?: number
  /**
   * Prefixes of refs that pushing clients are not shown, so that `git push --mirror` does not
   * delete them (git-config, receive.hideRefs). The host refuses pushes to them.
   */
  hiddenFromPush?: readonly string[]
  /** The product's version, sent to clients as `agent=hearth/<version>`. */
  version?: string
  /**
   * Returns the principal that the current call works for; null is the host itself. Called when
   * work begins.
   */
  currentPrincipal?: () => Principal | null
  /** For hosts that offload packs to other storage (`store/offloaded-packs.ts`). */
  remotePacks?: RemotePacks
  log?: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields?: Record<string, unknown>,
  ) => void
}

export type RemotePacks = {
  /**
   * Called before each use of a store: null when all its packs are here, otherwise resolves when
   * they are. The caller gets its errors.
   */
  restoreStore(store: string): Promise<void> | null
  /**
   * Called when a use of a store begins; the returned function is called when it ends. No file of
   * the store may be removed in between.
   */
  beginUse(store: string): () => void
}
