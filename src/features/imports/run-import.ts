/**
 * The job that copies a repository. It may be stopped at any moment: what is on disk is kept, no
 * ref points at it before all of it is there, and the next run goes on from what it finds.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import {
  LOOK_AFTER_MS,
  lookForForged,
  refsOf,
  remoteTransport,
  requireRepo,
} from '#features/repos/index.ts'
import { requireRoomToGrow } from '#features/workspaces/index.ts'
import { GitError, RemoteError, type FetchProgress } from '#git'
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound.ts'
import { AnswerTooLong } from '#lib/outbound-stream.ts'
import { HOUR, MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { LONGEST_MS, openSecret } from './secret.ts'
import { stoppable } from './stop.ts'
import {
  findImport,
  setEnded,
  setInterrupted,
  setProgress,
  setStarted,
  setWaiting,
  type ImportProgress,
  type ImportRow,
} from './store.ts'
import { Ended, takeRefs } from './take-refs.ts'

/** Waits after an error that may pass by itself; after the last the import has failed. */
const RETRIES = [10 * SECOND, MINUTE, 5 * MINUTE]
const SHORTEST_WAIT = MINUTE
const LONGEST_WAIT = 6 * HOUR
/** So many lines of what was left out are kept. */
const MOST_ERRORS = 100
const TELL_EVERY_MS = 1000

const PREFIXES = ['refs/heads/', 'refs/tags/']

export const runImport = job<{ id: string }>({
  kind: 'run_import',
  lane: 'imports',
  // It starts itself again where that makes sense; an error that comes as far as the runner is a
  // fault of ours.
  retry: ['1m'],
  run: async ({ hearth, signal: stopping }, { id }) => {
    const row = await begin(hearth, id)
    if (!row) return
    const { signal, over } = stoppable(hearth, id, stopping)
    try {
      const { left, unlooked } = await copy(hearth, row, signal)
      const errors =
        left.length > MOST_ERRORS
          ? [...left.slice(0, MOST_ERRORS), `and ${left.length - MOST_ERRORS} more`]
          : left
      await end(hearth, row, errors, unlooked)
    } catch (error) {
      // The next start goes on where this one stopped, and this one does not count.
      if (stopping.aborted) {
        await writeAs(hearth, null, (tx) => setInterrupted(tx, id))
        throw error
      }
      if (error instanceof Ended || findImport(hearth.db, id)?.state !== 'running') return
      await fail(hearth, row, error)
    } finally {
      over()
    }
  },
})

/** The import as it starts now; null when there is nothing to do any more. */
const begin = (hearth: Hearth, id: string): Promise<ImportRow | null> =>
  writeAs(hearth, null, (tx) => {
    const row = findImport(tx.db, id)
    if (!row || row.finished_at !== null) return null
    const tooOld = tx.now_ms - Date.parse(row.created_at) > LONGEST_MS
    if (tooOld || row.attempts > RETRIES.length) {
      setEnded(tx, id, 'failed', [
        ...(JSON.parse(row.errors) as string[]),
        tooOld ? 'it did not come to an end in 7 days' : 'it was begun too often',
      ])
      return null
    }
    setStarted(tx, id)
    return findImport(tx.db, id)
  })

/**
 * As for a large push, what there was too much of to be looked at is looked at later (repos,
 * `look-for-forged.ts`).
 */
const end = (
  hearth: Hearth,
  { id, repo_id }: ImportRow,
  errors: readonly string[],
  unlooked: boolean,
): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    if (findImport(tx.db, id)?.state !== 'running') return
    setEnded(tx, id, errors.length === 0 ? 'done' : 'done_with_errors', errors)
    if (unlooked)
      tx.enqueue(lookForForged, { repo_id, tips: null }, { key: repo_id, delay_ms: LOOK_AFTER_MS })
  })

/** What stands against so many bytes more in a workspace; null when nothing does. */
function whyTooMuch(hearth: Hearth, workspace_id: string, bytes: number): string | null {
  try {
    requireRoomToGrow(hearth, hearth.db, workspace_id, 'repos_bytes', bytes)
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.message
  }
}

/**
 * Fetches everything and makes the refs; gives what was left out, and whether objects were not
 * looked at for forged ones.
 */
async function copy(
  hearth: Hearth,
  row: ImportRow,
  signal: AbortSignal,
): Promise<{ left: string[]; unlooked: boolean }> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const secret = row.secret === null ? null : openSecret(hearth, row.secret)
  if (row.secret !== null && secret === null)
    throw new RemoteError('invalid', 'the token of this import can no longer be read')
  const teller = new Teller(hearth, row.id)
  let left: string[] = []
  let tooMuch: string | null = null
  try {
    const fetched = await hearth.git.fetchFrom(
      repo.store,
      remoteTransport(hearth, { url: row.url, secret }),
      {
        url: row.url,
        prefixes: PREFIXES,
        local: refsOf(hearth.db, repo.id),
        ownStore: true,
        signal,
        onProgress: (progress) => teller.hear(progress),
        apply: async (fetched) => {
          await teller.done()
          tooMuch = whyTooMuch(hearth, repo.workspace_id, fetched.bytes)
          if (tooMuch !== null) return false
          left = await takeRefs(hearth, row, fetched)
          return true
        },
      },
    )
    if (tooMuch !== null) throw new RemoteError('invalid', tooMuch)
    if (fetched.refs.length === 0 && fetched.refused.length > 0)
      throw new RemoteError('invalid', left[0] ?? 'nothing of it can be taken')
    return { left, unlooked: fetched.unlooked }
  } finally {
    await teller.done()
  }
}

/** Writes down how far it has come, now and then. */
class Teller {
  #next: ImportProgress | null = null
  #told = -Infinity
  #writing: Promise<void> = Promise.resolve()

  constructor(
    private readonly hearth: Hearth,
    private readonly id: string,
  ) {}

  hear(progress: FetchProgress): void {
    if (progress.kind === 'remote') return
    const change: ImportProgress =
      progress.kind === 'refs'
        ? { phase: 'connecting', refs_total: progress.count }
        : progress.kind === 'receiving'
          ? {
              phase: 'receiving',
              objects_done: progress.objects,
              objects_total: progress.total,
              bytes: progress.bytes,
            }
          : {
              phase: 'checking',
              objects_done: progress.total,
              objects_total: progress.total,
              bytes: progress.bytes,
            }
    const turns = this.#next?.phase !== undefined && this.#next.phase !== change.phase
    this.#next = { ...this.#next, ...change }
    if (turns || performance.now() - this.#told >= TELL_EVERY_MS) this.#tell()
  }

  /** Everything that was heard is written. */
  async done(): Promise<void> {
    this.#tell()
    await this.#writing
  }

  #tell(): void {
    const change = this.#next
    if (change === null) return
    this.#next = null
    this.#told = performance.now()
    const write = (): Promise<void> =>
      writeAs(this.hearth, null, (tx) => setProgress(tx, this.id, change))
    this.#writing = this.#writing.then(write, write)
  }
}

/** Whether the same may go well a little later: the network, or a server that is not well. */
const mayPass = (error: unknown): boolean =>
  error instanceof RemoteError
    ? error.status !== null && (error.status >= 500 || error.status === 408)
    : error instanceof OutboundError &&
      !(error instanceof AnswerTooLong) &&
      error.fault !== 'blocked_address' &&
      error.fault !== 'tls'

const isLimit = (error: unknown): error is RemoteError =>
  error instanceof RemoteError &&
  (error.status === 429 || (error.status === 503 && error.retryAfter !== null))

/** Tries again later, waits as long as the other side asks, or gives up. */
async function fail(hearth: Hearth, row: ImportRow, error: unknown): Promise<void> {
  // What the other side is not to blame for goes to the log with all that is known; the person
  // reads that it was not the address.
  const known = error instanceof GitError || error instanceof OutboundError
  if (!known) hearth.log.error('an import failed', { import: row.id, error })
  const message = known ? error.message : 'an internal error'
  await writeAs(hearth, null, (tx) => {
    const now = findImport(tx.db, row.id)
    if (now?.state !== 'running') return
    if (isLimit(error)) {
      const delay_ms = Math.min(LONGEST_WAIT, Math.max(SHORTEST_WAIT, error.retryAfter ?? 0))
      setWaiting(tx, row.id, {
        state: 'waiting_for_limit',
        attempts: now.attempts - 1,
        resume_at: timestamp(tx.now_ms + delay_ms),
        errors: [message],
      })
      tx.enqueue(runImport, { id: row.id }, { key: row.id, delay_ms })
      return
    }
    const delay_ms = mayPass(error) ? RETRIES[now.attempts - 1] : undefined
    if (delay_ms === undefined) {
      setEnded(tx, row.id, 'failed', [message])
      return
    }
    setWaiting(tx, row.id, {
      state: 'queued',
      attempts: now.attempts,
      resume_at: timestamp(tx.now_ms + delay_ms),
      errors: [message],
    })
    tx.enqueue(runImport, { id: row.id }, { key: row.id, delay_ms })
  })
}
