/**
 * What the git room gives to its host and asks of it. Values only: object ids, names, bytes and
 * streams; no users, no rights, no SQL. The words are git's own
 * (https://git-scm.com/docs/gitglossary).
 */

import type {
  Fetched,
  FetchFromOptions,
  Move,
  MoveFacts,
  PushReport,
  PushToOptions,
  RemoteOptions,
  RemoteRefs,
  Transport,
} from './client/ports.ts'

/** A SHA-1 object id as 40 lowercase hex digits. */
export type Oid = string

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** One object as git stores it: its type and its uncompressed content, without the header. */
export type GitObject = { readonly type: ObjectType; readonly data: Uint8Array }

/**
 * Reads objects by id; null when the object is not there. Implementations are synchronous: hot
 * loops depend on it.
 */
export interface ObjectReader {
  read(oid: Oid): GitObject | null
  /** The type and the size in bytes without inflating more than needed. */
  header(oid: Oid): { type: ObjectType; size: number } | null
  has(oid: Oid): boolean
  /**
   * As `read`, in memory that is good only until the next call: for hot loops that look at a thing
   * and let it go.
   */
  view?(oid: Oid): GitObject | null
}

/** Adds objects; they become durable when the writer's owner says so (`Store.write`). */
export interface ObjectWriter {
  write(type: ObjectType, data: Uint8Array): Oid
}

export type ObjectDatabase = ObjectReader & ObjectWriter

/**
 * A ref with its value; `peeled` is the object that an annotated tag points at, null for everything
 * else.
 */
export type Ref = { readonly name: string; readonly oid: Oid; readonly peeled: Oid | null }

/** All refs of one namespace at one moment, sorted by name in byte order. */
export type RefSnapshot = {
  /** Changes whenever any ref of the namespace changes; answers are cached under it. */
  readonly generation: string
  /** The full name that HEAD points at, whether or not that ref exists (`refs/heads/main`). */
  readonly head: string
  readonly refs: readonly Ref[]
}

/**
 * One command of a push: `old` or `new` is null for a ref that is made or deleted
 * (git-receive-pack, "ref update").
 */
export type RefUpdate = {
  readonly name: string
  readonly old: Oid | null
  readonly new: Oid | null
}

/**
 * The host's verdict on one command: accepted, or refused with one line that the person at the
 * keyboard sees.
 */
export type RefResult = {
  readonly name: string
  readonly refused: string | null
  /**
   * More about it, shown line by line before the report to clients that have a channel for it
   * (gitprotocol-pack, "side-band").
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

/** A signature and the very bytes that it was made over. */
export type ObjectSignature = { readonly armored: string; readonly signed: Uint8Array }

/** A parsed commit. `message` is decoded as UTF-8; bytes that are not UTF-8 become U+FFFD. */
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
 * One entry of a tree; `path` is relative to the tree that was asked for, `mode` is git's octal
 * text (`100644`).
 */
export type TreeEntry = {
  readonly path: string
  readonly name: string
  readonly type: TreeEntryType
  readonly mode: string
  readonly oid: Oid
  /** Bytes, for files and symlinks when asked for; else null. */
  readonly size: number | null
}

export type FileStatus = 'added' | 'modified' | 'removed' | 'renamed' | 'copied' | 'type_changed'

/**
 * One line of a hunk; `old` and `new` are 1-based line numbers, null where the line is not on that
 * side.
 */
export type DiffLine = {
  readonly kind: 'context' | 'add' | 'del'
  readonly old: number | null
  readonly new: number | null
  readonly text: string
  /** True on the last line of a file that does not end in a newline. */
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
 * What happened to one path between two trees. `hunks` is null where the text was not computed,
 * `reason` says why.
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
  /** What the attribute `linguist-generated` says of it; null when it says nothing. */
  readonly generated: boolean | null
}

export type DiffOptions = {
  /** Only these paths (a file, or a directory and all below it). */
  paths?: readonly string[]
  /** Lines of context around a change, 3 unless given. */
  context?: number
  /** Whether hunks are wanted; without them only statuses and counts are computed. */
  hunks?: boolean
  /**
   * Skip this many files, and give hunks for at most `limit` files; statuses and counts are always
   * complete.
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
  /** Start here; several tips give their union. */
  tips: readonly Oid[]
  /** Leave out everything reachable from these (`^hide`). */
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

export type BlameRange = {
  readonly from_line: number
  readonly to_line: number
  readonly commit: Commit
  readonly path: string
}

/** The last commit that changed an entry of a directory. */
export type LastCommit = { readonly name: string; readonly commit: Commit }

/**
 * What is known already of the entries of the same directory at an earlier commit: their last
 * commits.
 */
export type KnownLastCommits = {
  readonly commit: Oid
  readonly entries: readonly { readonly name: string; readonly oid: Oid }[]
}

/** What is known already of all lines of a file at an earlier commit. */
export type KnownBlame = {
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

/**
 * What lands on a base: the commit to move the ref to, or the paths in conflict. Its objects are on
 * disk.
 */
export type Landing =
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

/**
 * Thrown for anything that the input is to blame for: a corrupt pack, a missing object, a bad name.
 */
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

/** What a host wants to know of an answer that is a stream, and how it gives it up. */
export type Sending = {
  readonly signal?: AbortSignal
  /** Called when bytes go to the reader, and when it has taken them. */
  readonly onMove?: () => void
  /** Called once, when the stream is over: at its end, after an error, and when it is given up. */
  readonly onEnd?: () => void
}

/**
 * One upload of a request: which service, over which protocol version (the `Git-Protocol` header),
 * and its body.
 */
export type ServiceRequest = Sending & {
  readonly protocol: 0 | 1 | 2
  /**
   * The body as it came, already freed of Content-Encoding. What the stream gives belongs to
   * whoever reads it: its memory may be gone afterwards.
   */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null
  /**
   * Called before a whole copy (a fetch by somebody who has nothing) is made and not taken from
   * what is kept; what it throws refuses it.
   */
  readonly onCopy?: () => void
}

/**
 * What a push did, for the host's records: the commands as parsed, with the pack's objects already
 * on disk.
 */
export type Push = {
  readonly updates: readonly RefUpdate[]
  readonly options: readonly string[]
  readonly atomic: boolean
  /** Bytes of the pack that came; 0 for deletions only. */
  readonly packBytes: number
  /**
   * Whether there was too much to look for objects that were made for a SHA-1 collision;
   * `findForged` does that.
   */
  readonly unlooked: boolean
}

export type MaintainStore = {
  /**
   * How long objects stay that nothing reaches, from when they were first found so. Without it all
   * of them stay.
   */
  readonly graceMs?: number
  /** The time in milliseconds since 1970; the engine's own unless given. */
  readonly nowMs?: number
  /**
   * What else the host still names, as far as it exists, in parts. Read after `tips`, so that
   * nothing is missed that moves from refs to here.
   */
  readonly kept?: Iterable<readonly Oid[]>
  /**
   * All refs of the family once more, asked in the same moment in which packs are removed: one that
   * came meanwhile keeps what it names.
   */
  readonly still?: () => readonly Oid[]
  readonly signal?: AbortSignal
}

/**
 * The door of the git room: one store per repository family (a repository and its forks), named by
 * `store`, a single path segment below the objects root. Forks differ only in the snapshot that the
 * host hands over. Every function may run in a worker; all give a GitError for missing or corrupt
 * objects.
 */
export interface Git {
  /** Makes an empty store; does nothing when it exists. */
  createStore(store: string): Promise<void>
  /** Removes a store and everything in it. */
  removeStore(store: string): Promise<void>
  /** Bytes on disk, those of packs that are elsewhere among them. */
  sizeOf(store: string): Promise<number>
  /**
   * Resolves when all of a store is here (`GitOptions.elsewhere`), null when it is: for hosts that
   * want to say early that it cannot come. Every other function waits for it by itself.
   */
  ready(store: string): Promise<void> | null
  /** Closes what is open of a store, so that files that were taken away give their room back. */
  letGo(store: string): void

  /** The body of `GET info/refs?service=…` for smart HTTP, in the protocol version asked for. */
  advertise(
    service: 'git-upload-pack' | 'git-receive-pack',
    refs: RefSnapshot,
    protocol: 0 | 1 | 2,
  ): Uint8Array
  /**
   * The answer to one `POST git-upload-pack` that asks for refs and nothing else (ls-refs of
   * version 2), which can be had at once; null for every other request, which is for `uploadPack`.
   */
  listRefs(refs: RefSnapshot, protocol: 0 | 1 | 2, body: Uint8Array): Uint8Array | null
  /**
   * The answer to one fetch that can be had at once: one that is kept, or is small enough to be
   * made before anything else is done. Null for every other request, which is for `uploadPack`.
   * What `onCopy` throws passes through.
   */
  answerNow(
    store: string,
    refs: RefSnapshot,
    request: {
      readonly protocol: 0 | 1 | 2
      readonly body: Uint8Array
      readonly onCopy?: () => void
    },
  ): Uint8Array | { readonly path: string; readonly size: number } | null
  /**
   * Answers one `POST git-upload-pack` (ls-refs, fetch, object-info). Only what `refs` reaches is
   * ever sent.
   */
  uploadPack(store: string, refs: RefSnapshot, request: ServiceRequest): ReadableStream<Uint8Array>
  /**
   * The same, for hosts that tell kinds of answers apart: a short one comes whole, and of one that
   * is kept on disk come its path and size; the file can be opened for a minute. Rejects with
   * GitError `aborted` for a request that is given up before its answer begins, and with the error
   * of a body that cannot be read.
   */
  uploadPackOrFile(
    store: string,
    refs: RefSnapshot,
    request: ServiceRequest,
  ): Promise<
    Uint8Array | ReadableStream<Uint8Array> | { readonly path: string; readonly size: number }
  >
  /**
   * Answers one `POST git-receive-pack`: takes the commands, checks and stores the pack, hands the
   * push to `apply`, which moves the refs in the host's own transaction, and reports its verdicts.
   * `apply` is not called when the pack is refused.
   */
  receivePack(
    store: string,
    refs: RefSnapshot,
    request: ServiceRequest & { readonly apply: (push: Push) => Promise<readonly RefResult[]> },
  ): ReadableStream<Uint8Array>

  /**
   * The one commit id that starts with `prefix` (4 to 40 hex digits), or null when none or several
   * do.
   */
  expand(store: string, prefix: string): Promise<Oid | null>
  /** Follows annotated tags down to a commit; null when it is not one. */
  peel(store: string, oid: Oid): Promise<Oid | null>
  commit(store: string, oid: Oid): Promise<Commit | null>
  tag(store: string, oid: Oid): Promise<Tag | null>
  /**
   * Whether a commit is reachable from any of the tips; the check behind every id that a caller
   * names.
   */
  isReachable(store: string, oid: Oid, tips: readonly Oid[]): Promise<boolean>
  log(store: string, options: LogOptions): Promise<readonly Commit[]>
  /** How many commits `log` would give without skip and limit. */
  count(store: string, options: LogOptions): Promise<number>
  mergeBases(store: string, a: Oid, b: Oid): Promise<readonly Oid[]>
  aheadBehind(
    store: string,
    head: Oid,
    base: Oid,
  ): Promise<{ ahead: number; behind: number; mergeBase: Oid | null }>

  /**
   * The entries of the directory at `path` of a commit ('' is the root); null when there is no such
   * directory.
   */
  tree(
    store: string,
    commit: Oid,
    path: string,
    options?: { recursive?: boolean; sizes?: boolean },
  ): Promise<readonly TreeEntry[] | null>
  /** The entry at a path of a commit, or null. */
  entry(store: string, commit: Oid, path: string): Promise<TreeEntry | null>
  /** A blob's bytes; over `maxBytes` only its first part. */
  blob(
    store: string,
    oid: Oid,
    maxBytes?: number,
  ): Promise<{ data: Uint8Array; size: number } | null>
  /**
   * `known` are answers for earlier commits, with which this one is found by looking at the commits
   * in between.
   */
  lastCommits(
    store: string,
    commit: Oid,
    path: string,
    known?: readonly KnownLastCommits[],
  ): Promise<readonly LastCommit[]>
  blame(
    store: string,
    commit: Oid,
    path: string,
    range?: { from: number; to: number },
    known?: readonly KnownBlame[],
  ): Promise<readonly BlameRange[]>
  /** The files that most of the last commits changed, the busiest first; merges do not count. */
  busyPaths(
    store: string,
    commit: Oid,
    most: { readonly commits: number; readonly paths: number },
  ): Promise<readonly string[]>
  /** Bytes by language of a commit's tree, largest first. */
  languages(store: string, commit: Oid): Promise<readonly { language: string; bytes: number }[]>

  /** Compares two commits' or trees' content; null stands for the empty tree. */
  diff(store: string, from: Oid | null, to: Oid | null, options?: DiffOptions): Promise<Diff>
  /**
   * Compares an earlier version of a branch, brought up to `onto` by merging that into it, with its
   * present version; null where that conflicts. Nothing is kept.
   */
  interdiff(
    store: string,
    range: { since: Oid; onto: Oid; head: Oid },
    options?: DiffOptions,
  ): Promise<Diff | null>
  /** A comparison as one unified patch text, as `git diff` writes it. */
  patch(store: string, from: Oid | null, to: Oid | null, options?: DiffOptions): Promise<string>

  /** What merging `theirs` into `ours` would give; nothing is kept. */
  previewMerge(store: string, ours: Oid, theirs: Oid): Promise<TreeMerge>
  /**
   * Builds and keeps what would land `head` on `base`: a merge commit, a squash commit or the
   * replayed commits.
   */
  land(
    store: string,
    options: {
      method: MergeMethod
      base: Oid
      head: Oid
      message: string
      author: Signature
      committer: Signature
      /** Added to the message of every replayed commit (rebase). */
      trailers?: readonly string[]
    },
  ): Promise<Landing>
  /**
   * Builds and keeps a commit on `base` that takes the change between two commits (or trees) back,
   * as `git revert` does; where nothing of it is left, the commit is `base` itself.
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
  ): Promise<Landing>
  /**
   * One commit on top of `parent` (null makes a root commit) with these changes; all or nothing.
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
   * A zip or tar of a commit's tree below one folder: a short one whole, else as a stream that has
   * begun.
   */
  archive(
    store: string,
    commit: Oid,
    options: { format: 'zip' | 'tar'; prefix: string; path?: string },
    sending?: Sending,
  ): Promise<Uint8Array | ReadableStream<Uint8Array>>

  /**
   * What another server shows of a repository. Gives RemoteError for everything that is not git's
   * protocol.
   */
  listRemote(transport: Transport, options: RemoteOptions): Promise<RemoteRefs>
  /**
   * Fetches from another server; objects are in the store when `options.apply` is called, which
   * moves the refs.
   */
  fetchFrom(store: string, transport: Transport, options: FetchFromOptions): Promise<Fetched>
  /** Pushes to another server what the given refs reach. */
  pushTo(store: string, transport: Transport, options: PushToOptions): Promise<PushReport>
  /** What moves of refs amount to; `trunk` is what new refs are compared with. */
  moveFacts(store: string, moves: readonly Move[], trunk: Oid | null): Promise<readonly MoveFacts[]>

  /**
   * Finds a pattern in what commits add that none of their parents has; files over 8 MiB are read
   * up to there.
   */
  searchAdded(store: string, search: AddedSearch, signal?: AbortSignal): Promise<AddedMatches>

  /**
   * Ids of objects that `tips` reach and `hide` do not and that were made for a SHA-1 collision.
   * Reads all of them. `hide` are commits.
   */
  findForged(
    store: string,
    range: { readonly tips: readonly Oid[]; readonly hide?: readonly Oid[] },
    signal?: AbortSignal,
  ): Promise<readonly Oid[]>

  /**
   * Packs small packs together, rewrites bitmaps and the commit-graph; `tips` are all refs of the
   * family. Of a long history only the latest commits are indexed in one round; `unindexed` are
   * left for the next. With `graceMs` objects that nothing reaches are set apart, and go in a later
   * round that finds them so for longer; `dropped` says how many went. Gives GitError `missing`
   * when something that is named is not whole: then nothing is removed.
   */
  maintain(
    store: string,
    tips: readonly Oid[],
    options?: MaintainStore,
  ): Promise<{ packs: number; bytes: number; unindexed: number; dropped: number }>
  /**
   * Makes the index of a pack anew from the pack. Gives GitError `corrupt` when the pack is damaged
   * itself; then nothing has changed.
   */
  remake(store: string, pack: string): Promise<void>
  /** Reads everything and reports what is wrong, one line each; empty means sound. */
  verify(store: string, tips: readonly Oid[]): Promise<readonly string[]>
  /** Writes a plain bare repository that git reads. */
  exportBare(store: string, refs: RefSnapshot, directory: string): Promise<void>

  /** Operations on packs, and reads that go through history, that run and wait. */
  load(): Load

  /** Waits for running work and ends the workers. */
  close(): Promise<void>
}

/** What to look for in what the commits that `tips` reach and `hide` do not add. */
export type AddedSearch = {
  readonly tips: readonly Oid[]
  readonly hide?: readonly Oid[]
  /** Every match holds this word: what does not is not looked at further. */
  readonly word: string
  /**
   * A regular expression over bytes as Latin-1. It must take linear time: it meets whatever is in
   * repositories.
   */
  readonly pattern: string
  /** Where to stop: so many commits, bytes of files, matches (1,000 unless given). */
  readonly most?: { readonly commits?: number; readonly bytes?: number; readonly matches?: number }
}

export type AddedMatch = {
  readonly commit: Oid
  readonly path: string
  readonly line: number
  readonly text: string
}

export type AddedMatches = {
  readonly matches: readonly AddedMatch[]
  /** Commits that were looked through, the newest first. */
  readonly commits: number
  /** False when a bound was reached before the end. */
  readonly complete: boolean
}

/** Who has work done: places among heavy work go round by `party`. */
export type Asker = {
  readonly party: string
  /**
   * When reading for it is given up (GitError `late`), as `performance.now()` tells the time; null
   * is never.
   */
  readonly until: number | null
}

/** How much heavy work runs and waits now. */
export type Load = {
  readonly packs: { readonly running: number; readonly waiting: number }
  readonly reads: { readonly running: number; readonly waiting: number }
}

/** Settings of the engine; sizes in bytes. */
export type GitOptions = {
  /** Directory that holds one directory per store. */
  root: string
  /** Where packs are received before they are accepted; on the same file system as `root`. */
  tmp: string
  /**
   * Another process may be at work on the same root: nothing is swept at the start, and what comes
   * in has a place of its own.
   */
  beside?: boolean
  /**
   * Milliseconds of the calling thread that one small fetch may take (`answerNow`), 4 unless given;
   * 0 leaves all of them to the threads.
   */
  smallMs?: number
  /** Worker threads for heavy work; 0 runs everything on the calling thread (tests). */
  workers?: number
  /** Memory that all caches and indexers of the engine may hold together. */
  memoryBudget?: number
  /**
   * Disk for whole answers to fetches that are asked for again and again, below `tmp`; 0 keeps
   * none.
   */
  keptBytes?: number
  maxPackBytes?: number
  maxObjectBytes?: number
  maxObjects?: number
  /** Operations on packs that run at once; others wait. */
  concurrency?: number
  /** The product's version, told to clients as `agent=hearth/<version>`. */
  version?: string
  /** For whom the caller of the moment works; null for the host itself. Asked when work begins. */
  asker?: () => Asker | null
  /** For hosts that keep packs elsewhere too and may take them off this disk (`store/away.ts`). */
  elsewhere?: Elsewhere
  log?: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields?: Record<string, unknown>,
  ) => void
}

export type Elsewhere = {
  /**
   * Asked before any work on a store: null when all of it is here, else resolves when it is. What
   * it throws is what the work gives.
   */
  ready(store: string): Promise<void> | null
  /**
   * Told when work on a store begins; what it gives is called when that is over. Nothing of the
   * store may be taken away meanwhile.
   */
  begin(store: string): () => void
}
