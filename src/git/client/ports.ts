/**
 * The client side of git: what it asks of its host (a way to make requests) and what it gives back.
 * The host decides which addresses may be asked and what stands in the headers; the client knows
 * git's protocols alone.
 */
import { GitError, type Oid, type Ref, type RefSnapshot } from '../ports.ts'
import type { PaceLimits } from './pace.ts'

export type TransportRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null
  /**
   * Whether the answer may come from another place than was asked; only the first request of a
   * conversation may be sent on.
   */
  readonly redirect: boolean
  readonly signal: AbortSignal | null
}

export type TransportResponse = {
  readonly status: number
  header(name: string): string | null
  /** Where the answer came from, after redirects. */
  readonly url: string
  readonly body: ReadableStream<Uint8Array>
}

/** Makes one request. What it throws goes to the caller as it is. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/**
 * The remote said no, or something that is not git's protocol. `status` is that of HTTP, null for
 * what a body said.
 */
export class RemoteError extends GitError {
  constructor(
    code: GitError['code'],
    message: string,
    readonly status: number | null = null,
    /** Milliseconds after which the remote wants to be asked again; null when it did not say. */
    readonly retryAfter: number | null = null,
  ) {
    super(code, message)
    this.name = 'RemoteError'
  }
}

/** What a remote shows of itself. */
export type RemoteRefs = {
  readonly protocol: 0 | 1 | 2
  /**
   * The branch that HEAD points at (`refs/heads/main`), also when it has no commit yet; null when
   * the remote does not say.
   */
  readonly head: string | null
  /** As the remote gives them, without HEAD; `peeled` where it says so. */
  readonly refs: readonly Ref[]
  /** How many refs were left out because their names are malformed. */
  readonly malformed: number
}

export type RemoteOptions = {
  /** The address as one clones it, without a slash at the end. */
  readonly url: string
  /** Only refs that begin so; all when left out. */
  readonly prefixes?: readonly string[]
  /** The most refs that are taken in; more are an error. 200,000 unless given. */
  readonly maxRefs?: number
  /** How slow the remote may be; 1,000 bytes a second over a minute of a pack unless given. */
  readonly pace?: PaceLimits
  readonly signal?: AbortSignal
}

/** How far a fetch has come. Counts only grow. */
export type FetchProgress =
  | { readonly kind: 'refs'; readonly count: number }
  | {
      readonly kind: 'receiving'
      readonly objects: number
      readonly total: number
      readonly bytes: number
    }
  | { readonly kind: 'resolving'; readonly total: number; readonly bytes: number }
  /** A line that the remote wrote for a person, without control characters. */
  | { readonly kind: 'remote'; readonly text: string }

/** What has come and is on disk; no ref points at it yet. */
export type Fetched = {
  readonly remote: RemoteRefs
  /** The refs that were chosen; each one's object is whole in the store. */
  readonly refs: readonly Ref[]
  /** Chosen refs whose objects cannot be had, with why (a branch that is no commit). */
  readonly refused: readonly { readonly name: string; readonly why: string }[]
  readonly bytes: number
  readonly objects: number
  /**
   * Whether objects may be there that nobody has looked at for signs of a SHA-1 collision;
   * `findForged` does that.
   */
  readonly unlooked: boolean
}

export type FetchFromOptions = RemoteOptions & {
  /**
   * What this side has: nothing else counts as known, whatever other namespaces have in the store.
   */
  readonly local: RefSnapshot
  /**
   * The store belongs to this namespace alone, so that all that is in it counts as known: what a
   * stopped fetch has brought is kept.
   */
  readonly ownStore?: boolean
  /** Which of the remote's refs are wanted; all that `prefixes` let through unless given. */
  readonly choose?: (remote: RemoteRefs) => readonly Ref[]
  readonly onProgress?: (progress: FetchProgress) => void
  /**
   * Moves the refs. Until it ends, the objects are held; when it gives false they are taken away
   * again. When it throws they stay, because some refs may have moved.
   */
  readonly apply: (fetched: Fetched) => Promise<boolean | void>
}

/** One command of a push: null for a ref that is not there, or is to go. */
export type PushCommand = {
  readonly name: string
  readonly old: Oid | null
  readonly new: Oid | null
}

export type PushToOptions = RemoteOptions & {
  /** What may be sent: all that these refs reach, and nothing else of the store. */
  readonly local: RefSnapshot
  /** What to ask for, from what the remote has now. The remote holds each to its `old`. */
  readonly commands: (remote: RemoteRefs) => readonly PushCommand[]
  /** All or nothing. Gives GitError `unsupported` when the remote cannot. */
  readonly atomic?: boolean
  /** Texts for the remote's hooks; left out where it takes none. */
  readonly options?: readonly string[]
  /** A line that the remote wrote for a person. */
  readonly onProgress?: (text: string) => void
}

export type PushReport = {
  readonly remote: RemoteRefs
  /** In the order of the commands; `refused` is the remote's own word. */
  readonly results: readonly { readonly name: string; readonly refused: string | null }[]
}

/** One move of a ref, as it is described for a host that keeps records of pushes. */
export type Move = { readonly name: string; readonly old: Oid | null; readonly new: Oid }

export type MoveFacts = {
  /** Of the object that the ref gets. */
  readonly type: 'commit' | 'tree' | 'blob' | 'tag'
  /** What an annotated tag leads to in the end; null for everything else. */
  readonly peeled: Oid | null
  /**
   * Commits that are gained: over `old`, or for a new ref over `trunk`. 0 for what is no commit.
   */
  readonly commits: number
  /** Whether commits of `old` are lost. */
  readonly forced: boolean
}
