/**
 * The interface between the git client and its host, which makes the HTTP requests. The host
 * decides which addresses are allowed and adds credentials; the client knows only git's protocols.
 */
import { GitError, type Oid, type Ref, type RefSnapshot } from '../ports.ts'
import type { SpeedLimits } from './speed-guard.ts'

export type TransportRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null
  /** Whether redirects are followed: only for the first request of a conversation. */
  readonly redirect: boolean
  readonly signal: AbortSignal | null
}

export type TransportResponse = {
  readonly status: number
  header(name: string): string | null
  /** The URL of the response, after redirects. */
  readonly url: string
  readonly body: ReadableStream<Uint8Array>
}

/** Makes one request. Its errors are passed on to the caller. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/**
 * The remote refused, or responded with something other than git's protocol. `status` is the HTTP
 * status, null for an error in a body.
 */
export class RemoteError extends GitError {
  constructor(
    code: GitError['code'],
    message: string,
    readonly status: number | null = null,
    /**
     * Milliseconds after which the remote accepts another request (Retry-After); null when unknown.
     */
    readonly retryAfterMs: number | null = null,
  ) {
    super(code, message)
    this.name = 'RemoteError'
  }
}

/** The refs of a remote. */
export type RemoteRefs = {
  readonly protocol: 0 | 1 | 2
  /**
   * The branch of HEAD (`refs/heads/main`), even without commits; null when the remote does not
   * tell.
   */
  readonly head: string | null
  /** The refs without HEAD; `peeled` where the remote tells it. */
  readonly refs: readonly Ref[]
  /** The number of refs that were omitted because their names are malformed. */
  readonly malformed: number
}

export type RemoteOptions = {
  /** The URL for cloning, without a slash at the end. */
  readonly url: string
  /** Only refs with these prefixes; all by default. */
  readonly prefixes?: readonly string[]
  /** The maximum number of refs, 200,000 by default; more are an error. */
  readonly maxRefs?: number
  /** The minimum speed of the remote; 1,000 bytes per second over a minute of a pack by default. */
  readonly speedLimits?: SpeedLimits
  readonly signal?: AbortSignal
}

/** The progress of a fetch. Counts only grow. */
export type FetchProgress =
  | { readonly kind: 'refs'; readonly count: number }
  | {
      readonly kind: 'receiving'
      readonly objects: number
      readonly total: number
      readonly bytes: number
    }
  | { readonly kind: 'resolving'; readonly total: number; readonly bytes: number }
  /** A line for the user from the remote, without control characters. */
  | { readonly kind: 'remote'; readonly text: string }

/** The fetched objects, on disk; no ref points at them yet. */
export type FetchResult = {
  readonly remote: RemoteRefs
  /** The selected refs; all their objects are in the store. */
  readonly refs: readonly Ref[]
  /**
   * Selected refs whose objects cannot be fetched, with the reason (a branch that is no commit).
   */
  readonly refused: readonly { readonly name: string; readonly why: string }[]
  readonly bytes: number
  readonly objects: number
  /**
   * Whether objects may not have been scanned for SHA-1 collision attacks; `findSha1Collisions`
   * does that.
   */
  readonly unscanned: boolean
}

export type FetchFromOptions = RemoteOptions & {
  /**
   * The local refs. Only what they reach counts as present, whatever other namespaces of the store
   * have.
   */
  readonly local: RefSnapshot
  /**
   * The store has this namespace only, so everything in it counts as present: an interrupted fetch
   * resumes.
   */
  readonly ownStore?: boolean
  /** Selects the refs to fetch; all that `prefixes` match by default. */
  readonly selectRefs?: (remote: RemoteRefs) => readonly Ref[]
  readonly onProgress?: (progress: FetchProgress) => void
  /**
   * Moves the refs. The objects are held until it ends. If it returns false, they are removed. If
   * it throws, they stay, because some refs may have moved.
   */
  readonly apply:
    | ((fetched: FetchResult) => Promise<boolean>)
    | ((fetched: FetchResult) => Promise<void>)
}

/** One command of a push; null for a ref that does not exist, or that is to be deleted. */
export type PushCommand = {
  readonly name: string
  readonly old: Oid | null
  readonly new: Oid | null
}

export type PushToOptions = RemoteOptions & {
  /** The refs whose objects may be sent; no other objects of the store are. */
  readonly local: RefSnapshot
  /**
   * Returns the commands for the remote's current refs. The remote compares each ref with its
   * `old`.
   */
  readonly commands: (remote: RemoteRefs) => readonly PushCommand[]
  /** All or nothing. Throws GitError `unsupported` when the remote cannot. */
  readonly atomic?: boolean
  /** Push options; omitted when the remote does not support them. */
  readonly options?: readonly string[]
  /** A line for the user from the remote. */
  readonly onProgress?: (text: string) => void
}

export type PushReport = {
  readonly remote: RemoteRefs
  /** In the order of the commands; `refused` is the remote's reason. */
  readonly results: readonly { readonly name: string; readonly refused: string | null }[]
}

/** A move of a ref that is to be described. */
export type RefMove = { readonly name: string; readonly old: Oid | null; readonly new: Oid }

export type RefMoveSummary = {
  /** The type of the new object. */
  readonly type: 'commit' | 'tree' | 'blob' | 'tag'
  /** The object that an annotated tag finally points at; null otherwise. */
  readonly peeled: Oid | null
  /**
   * Commits that are added: compared with `old`, or for a new ref with `trunk`. 0 for an object
   * that is no commit.
   */
  readonly commits: number
  /** Whether commits of `old` are lost. */
  readonly forced: boolean
}
