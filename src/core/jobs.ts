/**
 * Jobs: work that goes on after an answer, on one table, so that it survives a restart. A job is
 * taken with a lease, tried again on its own delays, and kept with its error when the last try
 * failed. Nothing else runs in the background.
 */
import { nextTurn } from '#lib/waiting.ts'
import { typeId } from '#lib/typeid.ts'
import { duration, timestamp, type Timestamp } from '#lib/time.ts'
import type { Db, WritableDb } from './db.ts'
import type { Hearth } from './hearth.ts'
import { runAsSystem } from './work.ts'

export type JobContext = {
  readonly hearth: Hearth
  readonly signal: AbortSignal
  readonly attempt: number
  readonly id: string
}

export type Job<I = unknown> = {
  readonly kind: string
  /**
   * Delays before the second try, the third, and so on (`1m`). After the last the job has failed.
   */
  readonly retry: readonly string[]
  /** For sweeps: runs by itself, this long after it last ended. */
  readonly every: string | null
  readonly lane: Lane
  run(context: JobContext, input: I): Promise<void> | void
}

/**
 * How many jobs of each lane run at once. Lanes do not wait for each other, so a receiver that does
 * not answer, an import that takes an hour or a check that computes cannot hold up the rest.
 */
export const LANES = {
  /** Short work, mostly waiting for workers and files. */
  common: 4,
  mail: 4,
  webhooks: 32,
  imports: 2,
  backups: 1,
  /** Copies to a bucket. */
  storage: 2,
  /** What is found out about code before anybody asks. */
  history: 1,
  /** Keeping the index of searches, in turns of its own. */
  search: 1,
  /** Commands of other people, which compute. */
  commands: Math.max(1, navigator.hardwareConcurrency),
} as const
export type Lane = keyof typeof LANES

export const job = <I>(definition: {
  kind: string
  retry?: readonly string[]
  every?: string
  lane?: Lane
  run: Job<I>['run']
}): Job<I> => ({
  kind: definition.kind,
  retry: definition.retry ?? ['10s', '1m', '10m', '1h'],
  every: definition.every ?? null,
  lane: definition.lane ?? 'common',
  run: definition.run,
})

export type EnqueueOptions = {
  delay_ms?: number
  /**
   * While a job of this kind with the same key waits, another is not added; it only runs sooner
   * when this one would.
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
    const waiting = db.one<{ id: string }>(
      `SELECT id FROM jobs WHERE kind = ? AND key = ? AND state = 'waiting'`,
      definition.kind,
      key,
    )
    if (waiting) {
      // One that failed keeps its distance: being asked for again does not make it succeed.
      db.run(
        'UPDATE jobs SET run_at = ? WHERE id = ? AND attempt = 0 AND run_at > ?',
        runAt,
        waiting.id,
        runAt,
      )
      return waiting.id
    }
  }
  const id = typeId('bgj', now)
  db.run(
    `INSERT INTO jobs (id, kind, key, input, state, attempt, run_at, error, created_at, updated_at) VALUES (?, ?, ?, ?, 'waiting', 0, ?, NULL, ?, ?)`,
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

/** What waits, runs or has failed, newest first. */
export const listJobs = (
  db: Db,
  filter: { state?: string; kind?: string; limit: number; offset: number },
): JobRow[] =>
  db.all<JobRow>(
    'SELECT * FROM jobs WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR kind = ?2) ORDER BY id DESC LIMIT ?3 OFFSET ?4',
    filter.state ?? null,
    filter.kind ?? null,
    filter.limit,
    filter.offset,
  )

/** How many there are of each kind in each state. */
export const countJobs = (db: Db): { kind: string; state: JobRow['state']; count: number }[] =>
  db.all(
    'SELECT kind, state, count(*) AS count FROM jobs GROUP BY kind, state ORDER BY kind, state',
  )

/** Takes away jobs that failed for good before a moment, at most `limit`. Gives how many. */
export const removeFailedJobs = (db: WritableDb, before: Timestamp, limit: number): number =>
  db.run(
    `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'failed' AND updated_at < ? LIMIT ?)`,
    before,
    limit,
  )

export const findJob = (db: Db, id: string): JobRow | null =>
  db.one<JobRow>('SELECT * FROM jobs WHERE id = ?', id)

/**
 * Makes a failed job due now, with all its tries before it again, and one that waits due at once.
 * Null when it is there no more or runs; the same row when another with its key waits already,
 * which does its work too.
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
    `UPDATE jobs SET state = 'waiting', attempt = CASE state WHEN 'failed' THEN 0 ELSE attempt END, run_at = ?, updated_at = ? WHERE id = ?`,
    now,
    timestamp(now),
    id,
  )
  return findJob(db, id)
}

/** The longest sleep: a clock that was set back must not stop the runner for long. */
const LONGEST_SLEEP_MS = 30_000

/** What a clock may go back by itself, as it is kept right. */
const CLOCK_STEP_MS = 60_000

/** How long it waits when the database took nothing. */
const AGAIN_MS = 5_000

/** Takes jobs from the table and runs them until it is stopped. */
export class JobRunner {
  #kinds: Map<string, Job>
  #running = new Map<string, Promise<void>>()
  #busy = new Map<Lane, number>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #stopped = false
  /** The time when it last looked; before the first look anything counts as set back. */
  #seen = Infinity
  /** Ends each pause of those that could not write. */
  #paused = new Set<() => void>()
  #abort = new AbortController()

  constructor(
    private readonly hearth: Hearth,
    definitions: readonly Job[],
  ) {
    this.#kinds = new Map(definitions.map((definition) => [definition.kind, definition]))
    if (this.#kinds.size !== definitions.length) throw new Error('two jobs have the same kind')
  }

  /** Puts back what was running when the process ended, plants the sweeps, and begins. */
  async start(): Promise<void> {
    await this.hearth.writer.write(() => {
      // Of several with one key, the youngest does what all of them would.
      this.hearth.database.run(
        `DELETE FROM jobs WHERE state = 'running' AND key IS NOT NULL AND EXISTS (
           SELECT 1 FROM jobs AS other WHERE other.kind = jobs.kind AND other.key = jobs.key AND other.id > jobs.id AND other.state IN ('waiting', 'running'))`,
      )
      this.hearth.database.run(`UPDATE jobs SET state = 'waiting' WHERE state = 'running'`)
      for (const definition of this.#kinds.values()) {
        // One that waits keeps its time: starting often must not mean sweeping often.
        if (definition.every !== null && !isWaiting(this.hearth.db, definition.kind, 'sweep')) {
          insertJob(this.hearth.database, definition, null, this.hearth.clock.now(), {
            key: 'sweep',
          })
        }
      }
    })
    // Here too, so that a process which soon ends again has done it.
    await this.#followClock()
    this.wake()
  }

  /** Looks for due jobs soon; cheap to call often. */
  wake(): void {
    if (this.#stopped) return
    for (const end of [...this.#paused]) end()
    this.#sleep(0)
  }

  /**
   * Stops taking jobs, tells the running ones, and waits for them; what does not end is taken up at
   * the next start.
   */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#abort.abort()
    for (const end of [...this.#paused]) end()
    await Promise.allSettled(this.#running.values())
  }

  /** Resolves when nothing is due and nothing runs; for tests and commands. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#take()
      // One that is taken and not yet on disk as taken is neither due nor running, but holds its
      // lane.
      if ([...this.#busy.values()].every((count) => count === 0) && this.#due() === null) return
      // One that another round is just taking holds its lane and does not run yet; a race of none
      // would never end.
      if (this.#running.size > 0) await Promise.race(this.#running.values())
      else await nextTurn()
    }
  }

  /** How often a kind comes again by itself; null for one that is asked for. */
  everyOf(kind: string): string | null {
    return this.#kinds.get(kind)?.every ?? null
  }

  /** How many of a lane run now. */
  busy(lane: Lane): number {
    return this.#busy.get(lane) ?? 0
  }

  /**
   * A kind that nobody knows (of a newer executable) is taken in the common lane, and fails there
   * with its reason.
   */
  #laneOf(kind: string): Lane {
    return this.#kinds.get(kind)?.lane ?? 'common'
  }

  /** The kinds that must wait because their lane is full, as JSON. */
  #held(): string {
    const full = [...this.#kinds.values()].filter(
      ({ lane }) => (this.#busy.get(lane) ?? 0) >= LANES[lane],
    )
    return JSON.stringify(full.map(({ kind }) => kind))
  }

  #due(held = '[]'): { id: string; kind: string } | null {
    return this.hearth.db.one<{ id: string; kind: string }>(
      `SELECT id, kind FROM jobs WHERE state = 'waiting' AND run_at <= ? AND kind NOT IN (SELECT value FROM json_each(?)) ORDER BY run_at, id LIMIT 1`,
      this.hearth.clock.now(),
      held,
    )
  }

  #sleep(milliseconds: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#take().catch((error) => {
        this.hearth.log.error('the job runner failed', { error })
        // A full disk, say: nobody else would wake it when there is room again.
        if (!this.#stopped && !this.#timer) this.#sleep(AGAIN_MS)
      })
    }, milliseconds)
  }

  /**
   * Gives jobs that were planned by a clock that has been set back since the wait that they were
   * meant to have. When one was planned tells which they are, so it does not matter whether the
   * clock moved while this ran or while nothing did.
   */
  async #followClock(): Promise<void> {
    const now = this.hearth.clock.now()
    const late = timestamp(now + CLOCK_STEP_MS)
    if (
      now < this.#seen - CLOCK_STEP_MS &&
      this.hearth.db.one(
        `SELECT 1 FROM jobs WHERE state = 'waiting' AND updated_at > ? LIMIT 1`,
        late,
      )
    ) {
      const jobs = await this.hearth.writer.write(() =>
        this.hearth.database.run(
          `UPDATE jobs SET run_at = ?1 + run_at - CAST(round(unixepoch(updated_at, 'subsec') * 1000) AS INTEGER), updated_at = ?2 WHERE state = 'waiting' AND updated_at > ?3`,
          now,
          timestamp(now),
          late,
        ),
      )
      this.hearth.log.warn('the clock was set back: jobs are planned anew', { jobs })
    }
    this.#seen = now
  }

  async #take(): Promise<void> {
    await this.#followClock()
    while (!this.#stopped) {
      const next = this.#due(this.#held())
      if (!next) break
      const lane = this.#laneOf(next.kind)
      this.#busy.set(lane, (this.#busy.get(lane) ?? 0) + 1)
      const row = await this.#claim(next.id).catch((error: unknown) => {
        this.#leave(lane)
        throw error
      })
      // Stopped meanwhile: what is taken so is taken up at the next start.
      if (!row || this.#stopped) {
        this.#leave(lane)
        continue
      }
      const running = this.#run(row).finally(() => {
        this.#running.delete(row.id)
        this.#leave(lane)
        this.wake()
      })
      this.#running.set(row.id, running)
    }
    if (this.#stopped || this.#timer) return
    // A lane that is full wakes the runner when one of its jobs ends; only what may run now is
    // worth a timer.
    const later = this.hearth.db.one<{ at: number | null }>(
      `SELECT min(run_at) AS at FROM jobs WHERE state = 'waiting' AND kind NOT IN (SELECT value FROM json_each(?))`,
      this.#held(),
    )?.at
    if (later) this.#sleep(Math.min(LONGEST_SLEEP_MS, Math.max(5, later - this.hearth.clock.now())))
  }

  /** Marks it as running; null when another took it first. */
  #claim(id: string): Promise<JobRow | null> {
    return this.hearth.writer.write(() => {
      const changed = this.hearth.database.run(
        `UPDATE jobs SET state = 'running', attempt = attempt + 1, updated_at = ? WHERE id = ? AND state = 'waiting'`,
        timestamp(this.hearth.clock.now()),
        id,
      )
      return changed === 1
        ? this.hearth.database.one<JobRow>('SELECT * FROM jobs WHERE id = ?', id)
        : null
    })
  }

  #leave(lane: Lane): void {
    this.#busy.set(lane, (this.#busy.get(lane) ?? 1) - 1)
  }

  async #run(row: JobRow): Promise<void> {
    const definition = this.#kinds.get(row.kind)
    let wrong: unknown = null
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
      if (this.#stopped && this.#abort.signal.aborted) return
      wrong = error ?? new Error('it failed without a reason')
    }
    const delay = definition?.retry[row.attempt - 1]
    if (wrong !== null)
      this.hearth.log.warn('a job failed', {
        kind: row.kind,
        job: row.id,
        attempt: row.attempt,
        error: wrong,
        again_in: delay ?? null,
      })
    // What became of it is written down even when that has to wait for room on the disk; at a stop
    // the next start runs it again.
    for (;;) {
      try {
        return await this.#finish(row, definition, wrong)
      } catch (error) {
        this.hearth.log.error('what became of a job could not be written', {
          kind: row.kind,
          job: row.id,
          error,
        })
        await this.#pause(AGAIN_MS)
        if (this.#stopped) return
      }
    }
  }

  /** Waits, but not beyond a stop, nor when somebody else could write. */
  #pause(milliseconds: number): Promise<void> {
    if (this.#stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#paused.delete(end)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      this.#paused.add(end)
    })
  }

  /**
   * A job that ended is gone; one that failed waits for its next try or stays for a person to see.
   */
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
        // The one that waits under the same key does this one's work too.
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
