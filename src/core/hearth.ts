/**
 * The running forge as one value. `app.ts` creates it and passes it to everything else. There is no
 * global state, so one process can run several forges, as the tests do.
 */
import type { Git } from '#git'
import { CacheBudget } from '#lib/cache.ts'
import type { Log } from '#lib/log.ts'
import type { Clock } from '#lib/time.ts'
import type { FactsPort } from './access.ts'
import { sweepBlobs } from './blobs.ts'
import type { Caller, SignedIn } from './caller.ts'
import { Writer, type DatabaseHandle, type Db } from './db.ts'
import type { EventRow, EventType, Handler, Reaction } from './events.ts'
import { sweepIdempotencyKeys } from './idempotency.ts'
import { JobRunner, type Job } from './jobs.ts'
import { Metrics, instrumentGit } from './metrics.ts'
import type { Operation } from './operation.ts'
import type { Extension } from './extension-points.ts'
import { Services } from './service.ts'
import type { Settings } from './settings.ts'
import { noRemoteStorage, type RemoteStorage } from './storage.ts'
import { sweepFailedJobs } from './sweep-jobs.ts'

/** What all caches of a forge may hold together, the git engine's threads not included. */
const MAX_CACHE_BYTES = 256 * 1024 * 1024

/** Finds the caller of a request. The feature `accounts` implements it. */
export type CallerPort = {
  /** The caller of a token; null when the token is unknown, expired or revoked. */
  byToken(secret: string): Caller | null
  /** The caller of a website sign-in by the secret of its cookie; null when it has ended. */
  bySignIn(secret: string): Caller | null
  /**
   * The caller of a token or an SSH key by its id, for signed links that act with its rights; null
   * when it has ended.
   */
  byCredential(id: string): Caller | null
  /** The SSH key of a fingerprint (`SHA256:…`) with its caller; null for one that lets nobody in. */
  bySshKey(fingerprint: string): SshCaller | null
}

/** A public key that may sign in over SSH. */
export type SshCaller = {
  readonly id: string
  /** The blob of the key in base64. */
  readonly key: string
  /** The user; the workspace for a deploy key. */
  readonly caller: SignedIn
  /** The only repository of a deploy key; null for the key of a person. */
  readonly repo: string | null
}

/** What one feature adds to the forge. `features/index.ts` lists all features. */
export type Feature = {
  readonly name: string
  readonly operations?: readonly Operation[]
  readonly events?: readonly EventType[]
  readonly reactions?: readonly Reaction[]
  readonly handlers?: readonly Handler[]
  readonly jobs?: readonly Job[]
  /** Its extensions of the extension points of earlier features. */
  readonly extensions?: readonly Extension[]
}

export type Hearth = {
  readonly settings: Settings
  /** For reading. */
  readonly db: Db
  /** For core and commands. Features change the database through `write`. */
  readonly database: DatabaseHandle
  readonly writer: Writer
  readonly git: Git
  /** The bucket with copies of packs and blobs. */
  readonly storage: RemoteStorage
  readonly clock: Clock
  readonly log: Log
  readonly facts: FactsPort
  readonly callers: CallerPort
  readonly operations: readonly Operation[]
  readonly operationsByName: ReadonlyMap<string, Operation>
  readonly eventTypes: ReadonlyMap<string, EventType>
  /** State in memory that belongs to this forge (`service.ts`). */
  readonly services: Services
  /** The memory of all caches; `/metrics` reports it. */
  readonly caches: CacheBudget
  readonly jobs: JobRunner
  /** Counters for `/metrics`. */
  readonly metrics: Metrics
  reactionsTo(type: string): readonly Reaction[]
  handlersOf(type: string): readonly Handler[]
  /** The values of an extension point. Callers use `ExtensionPoint.all`, which knows their type. */
  extensionsOf(point: string): readonly unknown[]
  /** Notifies subscribers of an event that is on disk. */
  publish(event: EventRow): void
  /** Subscribes to events that are on disk. Returns the function that unsubscribes. */
  subscribe(listener: (event: EventRow) => void): () => void
  /** Aborts when the forge begins to stop. Responses without an end, such as live pages, end. */
  readonly draining: AbortSignal
  /** Aborts when running requests have had their time. They end then. */
  readonly stopping: AbortSignal
  /** Begins to stop: live pages end and jobs are told to stop. Other requests go on. */
  drain(): void
  /** Adds a function that runs when the forge closes. `close` waits for it. */
  onClose(close: () => void | Promise<void>): void
  /** Stops jobs, workers and the database, in this order. */
  close(): Promise<void>
}

export type HearthParts = {
  settings: Settings
  log: Log
  clock: Clock
  database: DatabaseHandle
  git: Git
  storage?: RemoteStorage
  features: readonly Feature[]
  facts: FactsPort
  /** Called with the forge, because finding a caller records the last use of its token. */
  callers: (hearth: Hearth) => CallerPort
}

/** Everything that the features of a forge declare, found by name. */
class Registry {
  readonly operations: readonly Operation[]
  readonly operationsByName: ReadonlyMap<string, Operation>
  readonly eventTypes: ReadonlyMap<string, EventType>
  readonly #reactionsToAll: readonly Reaction[]
  readonly #reactions: ReadonlyMap<string, readonly Reaction[]>
  readonly #handlers: ReadonlyMap<string, readonly Handler[]>
  readonly #extensions: ReadonlyMap<string, readonly unknown[]>

  /** Throws a TypeError when two operations have the same name. */
  constructor(features: readonly Feature[]) {
    this.operations = features.flatMap((feature) => feature.operations ?? [])
    this.operationsByName = byName(this.operations)
    this.eventTypes = new Map(
      features.flatMap((feature) => feature.events ?? []).map((type) => [type.type, type]),
    )
    const reactions = features.flatMap((feature) => feature.reactions ?? [])
    const toAll = reactions.filter(({ on }) => on === '*')
    this.#reactionsToAll = toAll
    this.#reactions = new Map(
      [...this.eventTypes.keys()].map((type) => [
        type,
        [...reactions.filter(({ on }) => on === type), ...toAll],
      ]),
    )
    this.#handlers = Map.groupBy(
      features.flatMap((feature) => feature.handlers ?? []),
      ({ on }) => on,
    )
    const extensions = Map.groupBy(
      features.flatMap((feature) => feature.extensions ?? []),
      ({ point }) => point,
    )
    this.#extensions = new Map(
      [...extensions].map(([point, list]) => [point, list.map(({ value }) => value)]),
    )
  }

  readonly reactionsTo = (type: string): readonly Reaction[] =>
    this.#reactions.get(type) ?? this.#reactionsToAll

  readonly handlersOf = (type: string): readonly Handler[] => this.#handlers.get(type) ?? []

  readonly extensionsOf = (point: string): readonly unknown[] => this.#extensions.get(point) ?? []
}

/** Operations by their names and aliases. Throws a TypeError when two have the same name. */
function byName(operations: readonly Operation[]): ReadonlyMap<string, Operation> {
  const map = new Map<string, Operation>()
  for (const operation of operations) {
    for (const name of [operation.name, ...operation.aliases]) {
      if (map.has(name)) throw new TypeError(`two operations are called ${name}`)
      map.set(name, operation)
    }
  }
  return map
}

/** The jobs of core. */
const CORE_JOBS = [sweepIdempotencyKeys, sweepBlobs, sweepFailedJobs] as readonly Job[]

/** The forge of `createHearth`. Its methods are used as plain functions, so they are bound. */
class RunningHearth implements Hearth {
  readonly settings: Settings
  readonly db: Db
  readonly database: DatabaseHandle
  readonly writer: Writer
  readonly git: Git
  readonly storage: RemoteStorage
  readonly clock: Clock
  readonly log: Log
  readonly facts: FactsPort
  readonly callers: CallerPort
  readonly operations: readonly Operation[]
  readonly operationsByName: ReadonlyMap<string, Operation>
  readonly eventTypes: ReadonlyMap<string, EventType>
  readonly services: Services = new Services(() => this)
  readonly caches = new CacheBudget(MAX_CACHE_BYTES)
  readonly jobs: JobRunner
  readonly metrics: Metrics
  readonly draining: AbortSignal
  readonly stopping: AbortSignal
  readonly reactionsTo: Hearth['reactionsTo']
  readonly handlersOf: Hearth['handlersOf']
  readonly extensionsOf: Hearth['extensionsOf']
  readonly #listeners = new Set<(event: EventRow) => void>()
  readonly #closers: (() => void | Promise<void>)[] = []
  readonly #draining = new AbortController()
  readonly #stopping = new AbortController()

  constructor(parts: HearthParts) {
    const registry = new Registry(parts.features)
    this.settings = parts.settings
    this.db = parts.database
    this.database = parts.database
    this.writer = new Writer(parts.database)
    this.metrics = new Metrics(parts.log, () => parts.settings.slow)
    parts.database.watch = (sql, ms) => this.metrics.recordQuery(sql, ms)
    this.git = instrumentGit(parts.git, this.metrics)
    this.storage = parts.storage ?? noRemoteStorage
    this.clock = parts.clock
    this.log = parts.log
    this.facts = parts.facts
    this.operations = registry.operations
    this.operationsByName = registry.operationsByName
    this.eventTypes = registry.eventTypes
    this.reactionsTo = registry.reactionsTo
    this.handlersOf = registry.handlersOf
    this.extensionsOf = registry.extensionsOf
    this.draining = this.#draining.signal
    this.stopping = this.#stopping.signal
    this.callers = parts.callers(this)
    this.jobs = new JobRunner(this, [
      ...CORE_JOBS,
      ...parts.features.flatMap((feature) => feature.jobs ?? []),
    ])
  }

  readonly publish = (event: EventRow): void => {
    for (const listener of this.#listeners) listener(event)
  }

  readonly subscribe = (listener: (event: EventRow) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly drain = (): void => {
    this.#draining.abort()
    void this.jobs.stop()
  }

  readonly onClose = (close: () => void | Promise<void>): void => void this.#closers.push(close)

  readonly close = async (): Promise<void> => {
    this.#draining.abort()
    this.#stopping.abort()
    const closing = Promise.allSettled(this.#closers.map(async (close) => await close()))
    await this.jobs.stop()
    await this.git.close()
    await this.writer.close()
    await closing
    // Requests and jobs have ended, so no further service is created.
    await this.services.close()
    this.database.watch = null
    this.database.close()
  }
}

/**
 * Creates a forge from its parts. Throws a TypeError when two features declare the same operation
 * name, which only a programming error can cause.
 */
export const createHearth = (parts: HearthParts): Hearth => new RunningHearth(parts)
