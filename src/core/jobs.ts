/**
 * Jobs: background work in one table, so that it survives a restart. A failed job is retried after
 * the delays of its kind. When the last attempt fails, the job stays in the table with its error.
 * Nothing else runs in the background.
 */
import { nextTurn } from '#lib/waiting.ts'
import { typeId } from './ids.ts'
import { duration, timestamp, type Timestamp } from '#lib/time.ts'
import type { Db, WritableDb } from './db.ts'
import { eventLoopProbe } from './event-loop.ts'
import type { Hearth } from './hearth.ts'
import { runAsSystem } from './principal.ts'

export type JobContext = {
  readonly hearth: Hearth
  readonly signal: AbortSignal
  readonly attempt: number
  readonly id: string
}

export type Job<I = unknown> = {
  readonly kind: string
  /** Delays before the second attempt, the third, and so on (`1m`). Then the job has failed. */
  readonly retry: readonly string[]
  /** For sweeps: the interval after the end of the last run. */
  readonly every: string | null
  readonly queue: JobQueue
  run(context: JobContext, input: I): Promise<void> | void
}

/**
 * How many jobs of each queue run at once. Queues do not wait for each other. So a webhook receiver
 * that does not respond, or an import of an hour, delays only its own queue.
 */
export const QUEUE_CONCURRENCY = {
  /** Short jobs that mostly wait for workers and files. */
  common: 4,
  mail: 4,
  webhooks: 32,
  imports: 2,
  /** Syncs with remotes, which may take hours. */
  mirrors: 4,
  /** Probes of all remotes, in one job. */
  probes: 1,
  backups: 1,
  /** Copies to a bucket. */
  storage: 2,
  /** Plans of runs of workflows, which wait for files to be read. */
  workflows: 4,
  /** Reading history ahead of requests, for caches. */
  history: 1,
  /** Uploads of scanners, alerts and lists of dependencies. One at a time, so that none are doubled. */
  security: 1,
  /** Updating the search index. */
  search: 1,
  /** Tests of connected services, which may not respond. */
  integrations: 1,
  /** Runs of the built-in agent. `agents.at_once` bounds how many of them work at once. */
  agents: 200,
  /** Questions, plans, summaries and reviews by models, which wait for answers of a minute. */
  models: 16,
  /** Commands of acceptance checks, which need a core each. */
  commands: Math.max(1, navigator.hardwareConcurrency),
} as const
export type JobQueue = keyof typeof QUEUE_CONCURRENCY
const QUEUES = Object.keys(QUEUE_CONCURRENCY) as JobQueue[]

export const job = <I>(definition: {
  kind: string
  retry?: readonly string[]
  every?: string
  queue?: JobQueue
  run: Job<I>['run']
}): Job<I> => ({
  kind: definition.kind,
  retry: definition.retry ?? ['10s', '1m', '10m', '1h'],
  every: definition.every ?? null,
  queue: definition.queue ?? 'common',
  run: definition.run,
})

export type EnqueueOptions = {
  delay_ms?: number
  /**
   * Only one job of a kind waits under a key. Adding another makes the waiting job run at the
   * earlier of both times.
   */
  key?: string
}

export type JobRow = {
  id: string
  kind: string
  key: string | null
  input: string
  state: 'waiting' | 'running' | 'failed'
  attempt: number
  run_at: number
  error: string | null
  created_at: string
  updated_at: string
}

export function insertJob<I>(
  db: WritableDb,
  definition: Job<I>,
  input: I,
  now: number,
  options: EnqueueOptions = {},
): string {
  const key = options.key ?? null
  const runAt = now + (options.delay_ms ?? 0)
  if (key !== null) {
    const waiting = db.one<{ id: string; attempt: number; run_at: number }>(
      `SELECT id, attempt, run_at FROM jobs WHERE kind = ? AND key = ? AND state = 'waiting'`,
      definition.kind,
      key,
    )
    if (waiting) {
      // A job that failed before keeps its delay, because a new request does not repair it.
      if (waiting.attempt === 0 && waiting.run_at > runAt)
        db.run('UPDATE jobs SET run_at = ? WHERE id = ?', runAt, waiting.id)
      return waiting.id
    }
  }
  const id = typeId('bgj', now)
  db.append(
    `INSERT INTO jobs
       (id, kind, key, input, state, attempt, run_at, error, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'waiting', 0, ?, NULL, ?, ?)`,
    id,
    definition.kind,
    key,
    JSON.stringify(input ?? null),
    runAt,
    timestamp(now),
    timestamp(now),
  )
  return id
}

const isWaiting = (db: Db, kind: string, key: string): boolean =>
  db.one(`SELECT 1 FROM jobs WHERE kind = ? AND key = ? AND state = 'waiting'`, kind, key) !== null

const JOB_ORDERS = {
  newest: 'id DESC',
  urgency: `CASE state WHEN 'failed' THEN 0 WHEN 'running' THEN 1 ELSE 2 END, id DESC`,
} as const
export type JobOrder = keyof typeof JOB_ORDERS

/**
 * Waiting, running and failed jobs. A sweep is idle while it waits for its next run and its last run
 * did not fail.
 */
export const listJobs = (
  db: Db,
  filter: { state?: string; kind?: string; idle?: boolean; limit: number; offset: number },
  order: JobOrder = 'newest',
): JobRow[] =>
  db.all<JobRow>(
    `SELECT * FROM jobs WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2)
     AND (?3 IS NULL OR ?3 = (state = 'waiting' AND error IS NULL AND key IS 'sweep'))
     ORDER BY ${JOB_ORDERS[order]} LIMIT ?4 OFFSET ?5`,
    filter.state ?? null,
    filter.kind ?? null,
    filter.idle ?? null,
    filter.limit,
    filter.offset,
  )

type NextJob = { readonly id: string; readonly kind: string; readonly run_at: number }

/**
 * The waiting job that is or becomes due first, except of blocked kinds (JSON). With blocked kinds
 * the first job of each other kind is compared, because thousands of a blocked kind may be due.
 */
const nextJob = (db: Db, blockedKinds: string): NextJob | null =>
  blockedKinds === '[]'
    ? db.one<NextJob>(
        `SELECT id, kind, run_at FROM jobs WHERE state = 'waiting' ORDER BY run_at, id LIMIT 1`,
      )
    : db.one<NextJob>(
        `WITH RECURSIVE kinds (kind) AS (
           SELECT min(kind) FROM jobs WHERE state = 'waiting'
           UNION ALL
           SELECT (SELECT min(jobs.kind) FROM jobs
                   WHERE state = 'waiting' AND jobs.kind > kinds.kind)
           FROM kinds WHERE kind IS NOT NULL
         )
         SELECT id, kind, run_at FROM kinds JOIN jobs USING (kind)
         WHERE kind NOT IN (SELECT value FROM json_each(?)) AND id =
           (SELECT id FROM jobs
            WHERE state = 'waiting' AND kind = kinds.kind ORDER BY run_at, id LIMIT 1)
         ORDER BY run_at, id LIMIT 1`,
        blockedKinds,
      )

/** The number of jobs of each kind and state. */
export const countJobs = (db: Db): { kind: string; state: JobRow['state']; count: number }[] =>
  db.all(
    'SELECT kind, state, count(*) AS count FROM jobs GROUP BY kind, state ORDER BY kind, state',
  )

/** Deletes up to `limit` jobs that failed before a time. Returns how many. */
export const removeFailedJobs = (db: WritableDb, before: Timestamp, limit: number): number =>
  db.run(
    `DELETE FROM jobs WHERE id IN
       (SELECT id FROM jobs WHERE state = 'failed' AND updated_at < ? LIMIT ?)`,
    before,
    limit,
  )

export const findJob = (db: Db, id: string): JobRow | null =>
  db.one<JobRow>('SELECT * FROM jobs WHERE id = ?', id)

/**
 * Makes a waiting job due now, and a failed job due now with all its attempts. Returns the row, or
 * null when the job is gone or running. When another job with its key waits, that job is made due
 * and returned instead.
 */
export function retryJob(db: WritableDb, id: string, now: number): JobRow | null {
  const row = findJob(db, id)
  if (!row || row.state === 'running') return null
  const other =
    row.key === null
      ? null
      : db.one<{ id: string }>(
          `SELECT id FROM jobs WHERE kind = ? AND key = ? AND state = 'waiting' AND id <> ?`,
          row.kind,
          row.key,
          id,
        )
  if (other) {
    db.run('DELETE FROM jobs WHERE id = ?', id)
    db.run('UPDATE jobs SET run_at = ?, updated_at = ? WHERE id = ?', now, timestamp(now), other.id)
    return findJob(db, other.id)
  }
  db.run(
    `UPDATE jobs SET state = 'waiting',
       attempt = CASE state WHEN 'failed' THEN 0 ELSE attempt END, run_at = ?, updated_at = ?
     WHERE id = ?`,
    now,
    timestamp(now),
    id,
  )
  return findJob(db, id)
}

/** A clock that was set back must not stop the runner for longer. */
const MAX_SLEEP_MS = 30_000

/** Time synchronisation may set a clock back so far; more counts as a clock that was set back. */
const MAX_CLOCK_STEP_MS = 60_000

/** Delay after a failed write, such as on a full disk. */
const WRITE_RETRY_MS = 5_000

/**
 * Takes jobs from the table and runs them until it is stopped. Before `start` it takes none: a
 * command that runs beside the server leaves its jobs to the server, because they would end with
 * the command.
 */
export class JobRunner {
  #kinds: Map<string, Job>
  #running = new Map<string, Promise<void>>()
  #runningCounts = new Map<JobQueue, number>()
  /** The kinds of full queues, by the names of the queues. */
  #kindsOfQueues = new Map<string, string>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #isStarted = false
  #isStopped = false
  /** The clock at the last check; at the first check any time counts as set back. */
  #lastSeenMs = Infinity
  /** Functions that end the pauses of jobs whose result could not be written. */
  #pauseEnders = new Set<() => void>()
  #abort = new AbortController()

  constructor(
    private readonly hearth: Hearth,
    definitions: readonly Job[],
  ) {
    this.#kinds = new Map(definitions.map((definition) => [definition.kind, definition]))
    if (this.#kinds.size !== definitions.length) throw new Error('two jobs have the same kind')
  }

  /** Requeues the jobs that ran when the process ended, adds the sweeps, and starts. */
  async start(): Promise<void> {
    await this.hearth.writer.write(() => {
      // Of several jobs with one key, the newest does the work of all.
      this.hearth.database.run(
        `DELETE FROM jobs WHERE state = 'running' AND key IS NOT NULL AND EXISTS (
           SELECT 1 FROM jobs AS other
           WHERE other.kind = jobs.kind AND other.key = jobs.key AND other.id > jobs.id
             AND other.state IN ('waiting', 'running'))`,
      )
      this.hearth.database.run(`UPDATE jobs SET state = 'waiting' WHERE state = 'running'`)
      for (const definition of this.#kinds.values()) {
        // A waiting sweep keeps its time, so frequent restarts do not mean frequent sweeps.
        if (definition.every !== null && !isWaiting(this.hearth.db, definition.kind, 'sweep')) {
          insertJob(this.hearth.database, definition, null, this.hearth.clock.now(), {
            key: 'sweep',
          })
        }
      }
    })
    // Also at the start, so that a short-lived process does it too.
    await this.#followClock()
    this.#isStarted = true
    this.wake()
  }

  /** Looks for due jobs in the next turn of the event loop. It is cheap to call often. */
  wake(): void {
    if (this.#isStopped) return
    for (const endPause of [...this.#pauseEnders]) endPause()
    if (this.#isStarted) this.#sleep(0)
  }

  /** Takes no more jobs, aborts the running ones and waits for them. They run again next time. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#abort.abort()
    for (const endPause of [...this.#pauseEnders]) endPause()
    await Promise.allSettled(this.#running.values())
  }

  /**
   * Runs what is due. Resolves when nothing runs, and nothing is due or the jobs were stopped; for
   * tests.
   */
  async idle(): Promise<void> {
    for (;;) {
      await this.#take()
      // A claimed job whose claim is not on disk yet is neither due nor running, but counts in its
      // queue.
      const isAnyClaimed = [...this.#runningCounts.values()].some((count) => count > 0)
      if (!isAnyClaimed && (this.#isStopped || !this.#isDue(nextJob(this.hearth.db, '[]')))) return
      // A race of no promises would never end while another round claims a job.
      if (this.#running.size > 0) await Promise.race(this.#running.values())
      else await nextTurn()
    }
  }

  /** The interval of a sweep; null for other kinds. */
  intervalOf(kind: string): string | null {
    return this.#kinds.get(kind)?.every ?? null
  }

  /** How many jobs of a queue run now. */
  runningIn(queue: JobQueue): number {
    return this.#runningCounts.get(queue) ?? 0
  }

  /** An unknown kind (of a newer executable) goes to the common queue and fails there. */
  #queueOf(kind: string): JobQueue {
    return this.#kinds.get(kind)?.queue ?? 'common'
  }

  /** The kinds whose queue is full, as JSON. It is asked for with every job, so it is remembered. */
  #blockedKinds(): string {
    const full = QUEUES.filter((queue) => this.runningIn(queue) >= QUEUE_CONCURRENCY[queue])
    const key = full.join()
    const known = this.#kindsOfQueues.get(key)
    if (known !== undefined) return known
    const blocked = [...this.#kinds.values()].filter(({ queue }) => full.includes(queue))
    const kinds = JSON.stringify(blocked.map(({ kind }) => kind))
    this.#kindsOfQueues.set(key, kinds)
    return kinds
  }

  #isDue(job: NextJob | null): job is NextJob {
    return job !== null && job.run_at <= this.hearth.clock.now()
  }

  #sleep(milliseconds: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#take().catch((error) => {
        this.hearth.log.error('the job runner failed', { error })
        // After a failed write (a full disk) nothing else would wake the runner.
        if (!this.#isStopped && !this.#timer) this.#sleep(WRITE_RETRY_MS)
      })
    }, milliseconds)
  }

  /**
   * Corrects the times of waiting jobs after the clock was set back: each keeps its planned delay.
   * A job with `updated_at` in the future was planned before that, also when no process ran then.
   */
  async #followClock(): Promise<void> {
    const now = this.hearth.clock.now()
    const future = timestamp(now + MAX_CLOCK_STEP_MS)
    if (
      now < this.#lastSeenMs - MAX_CLOCK_STEP_MS &&
      this.hearth.db.one(
        `SELECT 1 FROM jobs WHERE state = 'waiting' AND updated_at > ? LIMIT 1`,
        future,
      )
    ) {
      const jobs = await this.hearth.writer.write(() =>
        this.hearth.database.run(
          `UPDATE jobs SET updated_at = ?2,
             run_at = ?1 + run_at - CAST(round(unixepoch(updated_at, 'subsec') * 1000) AS INTEGER)
           WHERE state = 'waiting' AND updated_at > ?3`,
          now,
          timestamp(now),
          future,
        ),
      )
      this.hearth.log.warn('the clock was set back: jobs are planned anew', { jobs })
    }
    this.#lastSeenMs = now
  }

  async #take(): Promise<void> {
    await this.#followClock()
    let next: NextJob | null = null
    while (!this.#isStopped) {
      next = nextJob(this.hearth.db, this.#blockedKinds())
      if (!this.#isDue(next)) break
      const queue = this.#queueOf(next.kind)
      this.#runningCounts.set(queue, this.runningIn(queue) + 1)
      const row = await this.#claim(next.id).catch((error: unknown) => {
        this.#release(queue)
        throw error
      })
      // A job that was claimed during a stop runs at the next start.
      if (!row || this.#isStopped) {
        this.#release(queue)
        continue
      }
      const running = this.#run(row).finally(() => {
        this.#running.delete(row.id)
        this.#release(queue)
        this.wake()
      })
      this.#running.set(row.id, running)
    }
    if (!this.#isStarted || this.#isStopped || this.#timer) return
    // A full queue wakes the runner when one of its jobs ends, so it needs no timer.
    if (next)
      this.#sleep(Math.min(MAX_SLEEP_MS, Math.max(5, next.run_at - this.hearth.clock.now())))
  }

  /** Marks a job as running; null when it was claimed already. */
  #claim(id: string): Promise<JobRow | null> {
    return this.hearth.writer.write(() => {
      const changed = this.hearth.database.run(
        `UPDATE jobs SET state = 'running', attempt = attempt + 1, updated_at = ?
         WHERE id = ? AND state = 'waiting'`,
        timestamp(this.hearth.clock.now()),
        id,
      )
      return changed === 1
        ? this.hearth.database.one<JobRow>('SELECT * FROM jobs WHERE id = ?', id)
        : null
    })
  }

  #release(queue: JobQueue): void {
    this.#runningCounts.set(queue, (this.#runningCounts.get(queue) ?? 1) - 1)
  }

  async #run(row: JobRow): Promise<void> {
    eventLoopProbe(this.hearth).wake()
    const definition = this.#kinds.get(row.kind)
    let failure: unknown = null
    try {
      if (!definition) throw new Error(`no job is called ${row.kind}`)
      const context = {
        hearth: this.hearth,
        signal: this.#abort.signal,
        attempt: row.attempt,
        id: row.id,
      }
      await runAsSystem(() => definition.run(context, JSON.parse(row.input)))
    } catch (error) {
      if (this.#isStopped && this.#abort.signal.aborted) return
      failure = error ?? new Error('it failed without a reason')
    }
    const retryDelay = definition?.retry[row.attempt - 1]
    if (failure !== null)
      this.hearth.log.warn('a job failed', {
        kind: row.kind,
        job: row.id,
        attempt: row.attempt,
        error: failure,
        again_in: retryDelay ?? null,
      })
    // The result is written even when that has to wait for disk space. At a stop the job stays
    // marked as running, and the next start runs it again.
    for (;;) {
      try {
        return await this.#finish(row, definition, failure)
      } catch (error) {
        this.hearth.log.error('the result of a job could not be written', {
          kind: row.kind,
          job: row.id,
          error,
        })
        await this.#pause(WRITE_RETRY_MS)
        if (this.#isStopped) return
      }
    }
  }

  /** Waits, but ends early at a stop and when `wake` shows that writes succeed again. */
  #pause(milliseconds: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#pauseEnders.delete(end)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      this.#pauseEnders.add(end)
    })
  }

  /** Deletes a job that succeeded. One that failed waits for its next attempt, or has failed. */
  async #finish(row: JobRow, definition: Job | undefined, error: unknown): Promise<void> {
    const delay = definition?.retry[row.attempt - 1]
    const message = error === null ? null : error instanceof Error ? error.message : String(error)
    await this.hearth.writer.write(() => {
      const db = this.hearth.database
      const now = this.hearth.clock.now()
      if (message === null) db.run('DELETE FROM jobs WHERE id = ?', row.id)
      else if (
        delay !== undefined &&
        row.key !== null &&
        db.one(
          `SELECT 1 FROM jobs WHERE kind = ? AND key = ? AND state = 'waiting'`,
          row.kind,
          row.key,
        )
      ) {
        // The job that waits under the same key does the work of this one.
        db.run('DELETE FROM jobs WHERE id = ?', row.id)
      } else if (delay !== undefined) {
        db.run(
          `UPDATE jobs SET state = 'waiting', run_at = ?, error = ?, updated_at = ? WHERE id = ?`,
          now + duration(delay),
          message,
          timestamp(now),
          row.id,
        )
      } else
        db.run(
          `UPDATE jobs SET state = 'failed', error = ?, updated_at = ? WHERE id = ?`,
          message,
          timestamp(now),
          row.id,
        )
      if (definition?.every && (message === null || delay === undefined)) {
        insertJob(db, definition, null, now, { key: 'sweep', delay_ms: duration(definition.every) })
      }
    })
  }
}
