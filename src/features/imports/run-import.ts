/**
 * The job that imports a repository. It can be interrupted at any time: objects on disk are kept,
 * no ref points at them before all have arrived, and the next run continues from there.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import {
  COLLISION_SCAN_DELAY_MS,
  findSha1Collisions,
  refsOf,
  remoteTransport,
  requireRepo,
} from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { GitError, RemoteError, type FetchProgress } from '#git'
import { OutboundError, ResponseTooLong } from '#lib/outbound.ts'
import { HOUR, MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { MAX_IMPORT_MS, unsealSecret } from './import-secret.ts'
import { trackImport } from './running-imports.ts'
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
import { ImportEnded, createFetchedRefs } from './create-fetched-refs.ts'

/** Delays after temporary errors. After the last one the import fails. */
const RETRY_DELAYS_MS = [10 * SECOND, MINUTE, 5 * MINUTE]
const MIN_LIMIT_WAIT_MS = MINUTE
const MAX_LIMIT_WAIT_MS = 6 * HOUR
/** The most errors that are stored. */
const MAX_ERRORS = 100
const PROGRESS_INTERVAL_MS = 1000

const PREFIXES = ['refs/heads/', 'refs/tags/']

export const runImport = job<{ id: string }>({
  kind: 'run_import',
  queue: 'imports',
  // The job handles expected errors itself, so an error that reaches the job runner is a bug.
  retry: ['1m'],
  run: async ({ hearth, signal: stopping }, { id }) => {
    const row = await startAttempt(hearth, id)
    if (!row) return
    const { signal, stopTracking } = trackImport(hearth, id, stopping)
    try {
      const { left, unscanned } = await copyRepository(hearth, row, signal)
      const errors =
        left.length > MAX_ERRORS
          ? [...left.slice(0, MAX_ERRORS), `and ${left.length - MAX_ERRORS} more`]
          : left
      await finishImport(hearth, row, errors, unscanned)
    } catch (error) {
      // The next run continues here, and this attempt is not counted.
      if (stopping.aborted) {
        await writeAs(hearth, null, (tx) => setInterrupted(tx, id))
        throw error
      }
      if (error instanceof ImportEnded || findImport(hearth.db, id)?.state !== 'running') return
      await handleFailure(hearth, row, error)
    } finally {
      stopTracking()
    }
  },
})

/** Starts an attempt and returns the import; null when there is nothing to do. */
const startAttempt = (hearth: Hearth, id: string): Promise<ImportRow | null> =>
  writeAs(hearth, null, (tx) => {
    const row = findImport(tx.db, id)
    if (!row || row.finished_at !== null) return null
    const tooOld = tx.now_ms - Date.parse(row.created_at) > MAX_IMPORT_MS
    if (tooOld || row.attempts > RETRY_DELAYS_MS.length) {
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
 * Finishes the import. As for large pushes, objects that were not scanned for SHA-1 collisions are
 * scanned later by `find-sha1-collisions.ts`.
 */
const finishImport = (
  hearth: Hearth,
  { id, repo_id }: ImportRow,
  errors: readonly string[],
  unscanned: boolean,
): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    if (findImport(tx.db, id)?.state !== 'running') return
    setEnded(tx, id, errors.length === 0 ? 'done' : 'done_with_errors', errors)
    if (unscanned)
      tx.enqueue(
        findSha1Collisions,
        { repo_id, tips: null },
        { key: repo_id, delay_ms: COLLISION_SCAN_DELAY_MS },
      )
  })

/**
 * Fetches all objects and creates the refs. Returns what was left out, and whether objects were not
 * scanned for SHA-1 collisions.
 */
async function copyRepository(
  hearth: Hearth,
  row: ImportRow,
  signal: AbortSignal,
): Promise<{ left: string[]; unscanned: boolean }> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const secret = row.secret === null ? null : unsealSecret(hearth, row.secret)
  if (row.secret !== null && secret === null)
    throw new RemoteError('invalid', 'the token of this import can no longer be read')
  const teller = new ProgressWriter(hearth, row.id)
  let left: string[] = []
  let tooMuch: string | null = null
  try {
    const fetched = await hearth.git.fetchFrom(
      repo.store,
      remoteTransport(hearth, { url: row.url, secret }),
      {
        url: row.url,
        prefixes: PREFIXES,
        local: refsOf(hearth, repo.id),
        ownStore: true,
        signal,
        onProgress: (progress) => teller.update(progress),
        apply: async (fetched) => {
          await teller.flush()
          tooMuch = findQuotaProblem(hearth, repo.workspace_id, 'repos_bytes', fetched.bytes)
          if (tooMuch !== null) return false
          left = await createFetchedRefs(hearth, row, fetched)
          return true
        },
      },
    )
    if (tooMuch !== null) throw new RemoteError('invalid', tooMuch)
    if (fetched.refs.length === 0 && fetched.refused.length > 0)
      throw new RemoteError('invalid', left[0] ?? 'nothing of it can be taken')
    return { left, unscanned: fetched.unscanned }
  } finally {
    await teller.flush()
  }
}

/** Writes the progress of an import to its row at intervals. */
class ProgressWriter {
  #next: ImportProgress | null = null
  #told = -Infinity
  #writing: Promise<void> = Promise.resolve()

  constructor(
    private readonly hearth: Hearth,
    private readonly id: string,
  ) {}

  update(progress: FetchProgress): void {
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
    if (turns || performance.now() - this.#told >= PROGRESS_INTERVAL_MS) this.#tell()
  }

  /** Writes the latest progress and waits for it. */
  async flush(): Promise<void> {
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

/** Whether the error may be temporary: a network fault, or an overloaded server. */
const isTemporary = (error: unknown): boolean =>
  error instanceof RemoteError
    ? error.status !== null && (error.status >= 500 || error.status === 408)
    : error instanceof OutboundError &&
      !(error instanceof ResponseTooLong) &&
      error.fault !== 'blocked_address' &&
      error.fault !== 'tls'

const isRateLimit = (error: unknown): error is RemoteError =>
  error instanceof RemoteError &&
  (error.status === 429 || (error.status === 503 && error.retryAfterMs !== null))

/** Retries later, waits as long as the remote asks, or fails the import. */
async function handleFailure(hearth: Hearth, row: ImportRow, error: unknown): Promise<void> {
  // Unexpected errors are logged in full; the user sees that the address was not the cause.
  const known = error instanceof GitError || error instanceof OutboundError
  if (!known) hearth.log.error('an import failed', { import: row.id, error })
  const message = known ? error.message : 'an internal error'
  await writeAs(hearth, null, (tx) => {
    const now = findImport(tx.db, row.id)
    if (now?.state !== 'running') return
    if (isRateLimit(error)) {
      const delay_ms = Math.min(
        MAX_LIMIT_WAIT_MS,
        Math.max(MIN_LIMIT_WAIT_MS, error.retryAfterMs ?? 0),
      )
      setWaiting(tx, row.id, {
        state: 'waiting_for_limit',
        attempts: now.attempts - 1,
        resume_at: timestamp(tx.now_ms + delay_ms),
        errors: [message],
      })
      tx.enqueue(runImport, { id: row.id }, { key: row.id, delay_ms })
      return
    }
    const delay_ms = isTemporary(error) ? RETRY_DELAYS_MS[now.attempts - 1] : undefined
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
