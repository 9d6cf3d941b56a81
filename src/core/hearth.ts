/**
 * The running forge as a value: everything that an operation may need, made once in `app.ts` and
 * handed down. There is no global state, so a test makes as many as it likes.
 */
import type { Git } from '#git'
import type { Log } from '#lib/log.ts'
import type { Clock } from '#lib/time.ts'
import type { FactsPort } from './access.ts'
import { sweepBlobs } from './blobs.ts'
import type { Caller } from './caller.ts'
import { Writer, type DatabaseHandle, type Db } from './db.ts'
import type { EventRow, EventType, Follower, Reaction } from './events.ts'
import { sweepIdempotencyKeys } from './idempotency.ts'
import { JobRunner, type Job } from './jobs.ts'
import { Measures, measuredGit } from './measures.ts'
import type { Operation } from './operation.ts'
import type { Extension } from './points.ts'
import type { Settings } from './settings.ts'
import { noStorage, type Storage } from './storage.ts'
import { sweepFailedJobs } from './sweep-jobs.ts'

/** How the doors find out who is asking; answered by the accounts feature. */
export type CallerPort = {
  /** The caller that a token's secret stands for; null when it is unknown, ended or revoked. */
  byToken(secret: string): Caller | null
  /** The caller of a website sign-in, by the secret of its cookie. */
  bySignIn(secret: string): Caller | null
}

/** One feature: what it adds to the forge. `features/index.ts` lists them. */
export type Feature = {
  readonly name: string
  readonly operations?: readonly Operation[]
  readonly events?: readonly EventType[]
  readonly reactions?: readonly Reaction[]
  readonly followers?: readonly Follower[]
  readonly jobs?: readonly Job[]
  /** Its answers to the points of earlier features. */
  readonly extensions?: readonly Extension[]
}

export type Hearth = {
  readonly settings: Settings
  /** For reading. */
  readonly db: Db
  /** For the floor and for commands; features write through `write`. */
  readonly database: DatabaseHandle
  readonly writer: Writer
  readonly git: Git
  /** Where packs and uploaded files are kept besides this machine. */
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly facts: FactsPort
  readonly callers: CallerPort
  readonly operations: readonly Operation[]
  readonly operationsByName: ReadonlyMap<string, Operation>
  readonly eventTypes: ReadonlyMap<string, EventType>
  readonly jobs: JobRunner
  /** What it counts of itself. */
  readonly measures: Measures
  reactionsTo(type: string): readonly Reaction[]
  followersOf(signal: string): readonly Follower[]
  /** What features answer to a point; asked through the point itself (`points.ts`). */
  extensionsOf(point: string): readonly unknown[]
  /** Tells live readers of an event that is on disk. */
  published(event: EventRow): void
  /** Listens to events that are on disk; gives the function that ends it. */
  subscribe(listener: (event: EventRow) => void): () => void
  /** Ends when the process was told to stop: for answers that have no end of their own. */
  readonly leaving: AbortSignal
  /** Ends when other requests have had their time, so that what is left can end too. */
  readonly stopping: AbortSignal
  /**
   * The beginning of a stop: what only follows what happens ends, and jobs are told. Requests go
   * on.
   */
  leave(): void
  /**
   * What a feature opened beside the database is closed with it: begun when the forge stops, and
   * over before `close` is.
   */
  onClose(end: () => void | Promise<void>): void
  /** Stops jobs, workers and database, in that order. */
  close(): Promise<void>
}

export type HearthParts = {
  settings: Settings
  log: Log
  clock: Clock
  database: DatabaseHandle
  git: Git
  storage?: Storage
  features: readonly Feature[]
  facts: FactsPort
  /** Made after the forge, because looking a caller up notes when its token was last used. */
  callers: (hearth: Hearth) => CallerPort
}

/**
 * Joins the parts. Gives a TypeError when two features claim the same name, which only a change of
 * the code can cause.
 */
export function createHearth({
  settings,
  log,
  clock,
  database,
  git,
  storage = noStorage,
  features,
  facts,
  callers,
}: HearthParts): Hearth {
  const operations = features.flatMap((feature) => feature.operations ?? [])
  const operationsByName = new Map<string, Operation>()
  for (const operation of operations) {
    for (const name of [operation.name, ...operation.aliases]) {
      if (operationsByName.has(name)) throw new TypeError(`two operations are called ${name}`)
      operationsByName.set(name, operation)
    }
  }
  const eventTypes = new Map(
    features.flatMap((feature) => feature.events ?? []).map((type) => [type.type, type]),
  )
  const reactions = features.flatMap((feature) => feature.reactions ?? [])
  const forAll = reactions.filter(({ on }) => on === '*')
  const reactionsByType = new Map(
    [...eventTypes.keys()].map((type) => [
      type,
      [...reactions.filter(({ on }) => on === type), ...forAll],
    ]),
  )
  const followers = Map.groupBy(
    features.flatMap((feature) => feature.followers ?? []),
    (one) => one.signal,
  )
  const extensions = Map.groupBy(
    features.flatMap((feature) => feature.extensions ?? []),
    (one) => one.point,
  )
  const answers = new Map(
    [...extensions].map(([name, given]) => [name, given.map(({ value }) => value)]),
  )
  const listeners = new Set<(event: EventRow) => void>()
  const ends: (() => void | Promise<void>)[] = []
  const leaving = new AbortController()
  const stopping = new AbortController()
  const writer = new Writer(database)
  const measures = new Measures(log, () => settings.slow)
  database.watch = (sql, ms) => measures.query(sql, ms)

  const hearth: Hearth = {
    settings,
    db: database,
    database,
    writer,
    measures,
    git: measuredGit(git, measures),
    storage,
    clock,
    log,
    facts,
    operations,
    operationsByName,
    eventTypes,
    reactionsTo: (type) => reactionsByType.get(type) ?? forAll,
    followersOf: (name) => followers.get(name) ?? [],
    extensionsOf: (name) => answers.get(name) ?? [],
    published: (event) => {
      for (const listener of listeners) listener(event)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    leaving: leaving.signal,
    stopping: stopping.signal,
    leave: () => {
      leaving.abort()
      void jobs.stop()
    },
    get callers() {
      return callerPort
    },
    get jobs() {
      return jobs
    },
    onClose: (end) => void ends.push(end),
    close: async () => {
      leaving.abort()
      stopping.abort()
      const ended = Promise.allSettled(ends.map(async (end) => await end()))
      await jobs.stop()
      await git.close()
      await writer.close()
      await ended
      database.watch = null
      database.close()
    },
  }
  const callerPort = callers(hearth)
  const jobs = new JobRunner(hearth, [
    sweepIdempotencyKeys as Job,
    sweepBlobs as Job,
    sweepFailedJobs as Job,
    ...features.flatMap((feature) => feature.jobs ?? []),
  ])
  return hearth
}
