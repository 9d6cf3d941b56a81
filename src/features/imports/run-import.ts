/**
 * The job that imports a repository. It can be interrupted at any time: objects on disk are kept,
 * no ref points at them before all have arrived, and the next run continues from there. Records of
 * another forge follow page by page.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { COLLISION_SCAN_DELAY_MS, findSha1Collisions } from '#features/repos/index.ts'
import { GitError, RemoteError } from '#git'
import { OutboundError, ResponseTooLong } from '#lib/outbound/outbound.ts'
import { HOUR, MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { copyRepository, type LocalRepo } from './copy-code.ts'
import { ImportEnded } from './create-fetched-refs.ts'
import { beginForgeImport, completeCode, runForgeSteps, StepFailed } from './forge-import.ts'
import { ForgeError } from './forges/forge-client.ts'
import type { ForeignRepo } from './forges/forge.ts'
import { MAX_IMPORT_MS, unsealSecret } from './import-secret.ts'
import { trackImport } from './running-imports.ts'
import {
  addErrors,
  errorsOf,
  findImport,
  noteProgress,
  RETRY_DELAYS_MS,
  setEnded,
  setInterrupted,
  setStarted,
  setSurvived,
  setWaiting,
  type ImportRow,
} from './store.ts'
import { setStep } from './store-steps.ts'

/** When the other side says how long; a limit that ends at once would be asked for ever. */
const MIN_LIMIT_WAIT_MS = 10 * SECOND
const DEFAULT_LIMIT_WAIT_MS = MINUTE
const MAX_LIMIT_WAIT_MS = 6 * HOUR
/** Starts in a row that ended with the process and came no further than any before. */
const MAX_LOST_STARTS = 10
/** So many of them are followed by another one at once, the rest after these delays and the last. */
const LOST_STARTS_AT_ONCE = 2
const LOST_DELAYS_MS = [10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE]

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
      const token = readToken(hearth, row)
      const other = await beginForgeImport(hearth, row, token, signal)
      if (row.code_complete === 0)
        await importCode(hearth, row, other?.facts ?? null, token, signal)
      if (other !== null) await runForgeSteps(hearth, row, other, token, signal)
      await finishImport(hearth, row)
    } catch (error) {
      // The next run continues here, and this start is not counted.
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
    if (tooOld || row.lost_starts >= MAX_LOST_STARTS) {
      setEnded(tx, id, 'failed', [
        ...errorsOf(row),
        tooOld
          ? 'it did not come to an end in 7 days'
          : `the server ended ${row.lost_starts} times while it ran, each time before any progress`,
      ])
      return null
    }
    if (row.state === 'running' && row.lost_starts > LOST_STARTS_AT_ONCE) {
      waitAfterLoss(tx, row)
      return null
    }
    setStarted(tx, id)
    return findImport(tx.db, id)
  })

/**
 * Waits after the process ended again. Ends of the process in this time are not the fault of the
 * import, and an import that is the fault lets others work, and people cancel it. Of several
 * imports that ran together, chance makes one begin alone.
 */
function waitAfterLoss(tx: Tx, row: ImportRow): void {
  const least =
    LOST_DELAYS_MS[row.lost_starts - LOST_STARTS_AT_ONCE - 1] ?? LOST_DELAYS_MS.at(-1) ?? 0
  const delay_ms = Math.floor(least * (1 + Math.random()))
  waitFor(tx, row, delay_ms, 'queued', 'the server ended while it ran', row.attempts - 1)
}

/**
 * Copies the code. As for large pushes, objects that were not scanned for SHA-1 collisions are
 * scanned later by `find-sha1-collisions.ts`.
 */
export const importCode = async (
  hearth: Hearth,
  row: ImportRow,
  facts: ForeignRepo | null,
  token: string | null,
  signal: AbortSignal,
  local: LocalRepo | null = null,
): Promise<void> => {
  const { left, unscanned } = await copyRepository(hearth, row, facts, token, signal, local)
  await completeCode(hearth, row, left)
  if (unscanned)
    await writeAs(hearth, null, (tx) =>
      tx.enqueue(
        findSha1Collisions,
        { repo_id: row.repo_id, tips: null },
        { key: row.repo_id, delay_ms: COLLISION_SCAN_DELAY_MS },
      ),
    )
}

export const finishImport = (hearth: Hearth, { id }: ImportRow): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const row = findImport(tx.db, id)
    if (row?.state !== 'running') return
    const errors = errorsOf(row)
    setEnded(tx, id, errors.length === 0 ? 'done' : 'done_with_errors', errors)
  })

/** The token of an import. Throws when it can no longer be read. */
function readToken(hearth: Hearth, row: ImportRow): string | null {
  const secret = row.secret === null ? null : unsealSecret(hearth, row.secret)
  if (row.secret !== null && secret === null)
    throw new RemoteError('invalid', 'the token of this import can no longer be read')
  return secret
}

/** Whether the error may be temporary: a network fault, or an overloaded server. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ForgeError) return error.isTemporary
  if (error instanceof RemoteError)
    return error.status !== null && (error.status >= 500 || error.status === 408)
  return (
    error instanceof OutboundError &&
    !(error instanceof ResponseTooLong) &&
    error.fault !== 'blocked_address' &&
    error.fault !== 'tls'
  )
}

/** Milliseconds that the other side asks to wait for; null when it does not. */
function limitWait(error: unknown): number | null {
  if (!(error instanceof ForgeError || error instanceof RemoteError)) return null
  const isLimit =
    error instanceof ForgeError
      ? error.isRateLimit
      : error.status === 429 || (error.status === 503 && error.retryAfterMs !== null)
  if (!isLimit) return null
  const asked = Math.max(MIN_LIMIT_WAIT_MS, error.retryAfterMs ?? DEFAULT_LIMIT_WAIT_MS)
  return Math.min(MAX_LIMIT_WAIT_MS, asked + (error instanceof ForgeError ? limitJitter() : 0))
}

/** Several imports from one forge do not all come back at the same moment. */
const limitJitter = (): number => SECOND + Math.floor(Math.random() * 29 * SECOND)

/** No step can go on when the token or the address is refused; other errors end a step alone. */
const endsAllSteps = (cause: unknown): boolean =>
  (cause instanceof ForgeError && cause.status === 401) ||
  (cause instanceof OutboundError && cause.fault === 'blocked_address')

/** Retries later, waits as long as the remote asks, skips a step, or fails the import. */
async function handleFailure(hearth: Hearth, row: ImportRow, error: unknown): Promise<void> {
  const cause = error instanceof StepFailed ? error.cause : error
  // Unexpected errors are logged in full; the user sees that the address was not the cause.
  const known =
    cause instanceof GitError || cause instanceof OutboundError || cause instanceof ForgeError
  if (!known) hearth.log.error('an import failed', { import: row.id, error: cause })
  const message = known ? cause.message : 'an internal error'
  await writeAs(hearth, null, (tx) => {
    const now = findImport(tx.db, row.id)
    if (now?.state !== 'running') return
    const limit = limitWait(cause)
    if (limit !== null) {
      // Waiting for a limit is no failed attempt.
      setSurvived(tx, row.id)
      waitFor(tx, now, limit, 'waiting_for_limit', message, now.attempts - 1)
      return
    }
    const delay_ms = isTemporary(cause) ? RETRY_DELAYS_MS[now.attempts - 1] : undefined
    if (delay_ms !== undefined) {
      setSurvived(tx, row.id)
      waitFor(tx, now, delay_ms, 'queued', message, now.attempts)
    } else if (!(error instanceof StepFailed) || endsAllSteps(cause)) {
      setEnded(tx, row.id, 'failed', [...errorsOf(now), message])
    } else {
      // What this step did not bring is listed; the others go on.
      addErrors(tx, row.id, [`${error.step.replace('_', ' ')}: ${message}`])
      setStep(tx, row.id, error.step, { state: 'done_with_errors' })
      noteProgress(tx, row.id)
      tx.enqueue(runImport, { id: row.id }, { key: row.id })
    }
  })
}

function waitFor(
  tx: Tx,
  { id }: ImportRow,
  delay_ms: number,
  state: 'queued' | 'waiting_for_limit',
  problem: string,
  attempts: number,
): void {
  setWaiting(tx, id, {
    state,
    attempts: Math.max(0, attempts),
    resume_at: timestamp(tx.now_ms + delay_ms),
    problem,
  })
  tx.enqueue(runImport, { id }, { key: id, delay_ms })
}
