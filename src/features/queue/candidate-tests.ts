/**
 * How the tests of a candidate end: all commands ended, or the timeout for all of them together.
 */
import { handler } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { candidateTested, contextOf } from '#features/pulls/index.ts'
import { cancelRun, checksFinished, checksOfRun } from '#features/checks/index.ts'
import type { Oid } from '#git'
import { MINUTE } from '#lib/time.ts'
import { gateResult } from './candidate-gates.ts'
import { setState } from './entry-changes.ts'
import { limitsOf } from './queue-settings.ts'
import { findByRun, findEntry, setEntry, type EntryRow } from './store.ts'
import { advanceSoon } from './request-advance.ts'

/** Takes over the results of commands and gates, once one has failed or all have passed. */
export function takeOverResult(tx: Tx, entry: EntryRow): void {
  if (entry.state !== 'testing' || entry.verdict !== null) return
  const checks = entry.run_id === null ? null : checksOfRun(tx.hearth, entry.run_id)
  const gate = gateResult(tx.hearth, entry)
  if (checks?.status === 'none' || (checks === null && gate === null)) return
  const hasFailed = checks && checks.status !== 'pending' && checks.status !== 'passed'
  if (hasFailed) return failByChecks(tx, entry, checks)
  if (gate?.state === 'failed') {
    advanceSoon(tx, entry)
    setEntry(tx, entry.id, { verdict: 'checks_failed', note: gate.why })
    return
  }
  if (checks?.status === 'pending' || gate?.state === 'pending') return
  advanceSoon(tx, entry)
  setState(tx, entry, 'passed')
}

function failByChecks(
  tx: Tx,
  entry: EntryRow,
  checks: NonNullable<ReturnType<typeof checksOfRun>>,
): void {
  advanceSoon(tx, entry)
  const { timeout_minutes } = limitsOf(tx.hearth, contextOf(tx.db, entry.repo_id), entry.base_ref)
  const took = checks.results.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0)
  if (took >= timeout_minutes * MINUTE)
    setEntry(tx, entry.id, { verdict: 'timed_out', note: timeoutNote(timeout_minutes) })
  else
    setEntry(tx, entry.id, {
      verdict: 'checks_failed',
      note:
        checks.status === 'errored'
          ? `its checks could not be run${checks.message === null ? '' : `: ${checks.message}`}`
          : null,
    })
}

const timeoutNote = (minutes: number): string =>
  `its checks took longer than ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} together`

export const followChecks = handler(
  'the merge queue follows its checks',
  checksFinished,
  (tx, { run_id, purpose }) => {
    const entry = purpose === 'queue' ? findByRun(tx.db, run_id) : null
    if (entry) takeOverResult(tx, entry)
  },
)

/**
 * Ends tests after their timeout, counted from their start, which may be later than the request.
 */
export const endTests = job<{ entry_id: string; run_id: string }>({
  kind: 'end_queue_tests',
  run: ({ hearth }, input) =>
    writeAs(hearth, null, (tx) => {
      const entry = findEntry(tx.db, input.entry_id)
      const checks = checksOfRun(hearth, input.run_id)
      if (
        entry?.run_id !== input.run_id ||
        entry.state !== 'testing' ||
        checks?.status !== 'pending'
      )
        return
      const { timeout_minutes } = limitsOf(hearth, contextOf(tx.db, entry.repo_id), entry.base_ref)
      const left =
        checks.started_at === null
          ? timeout_minutes * MINUTE
          : Date.parse(checks.started_at) + timeout_minutes * MINUTE - tx.now_ms
      if (left > 0) {
        tx.enqueue(endTests, input, { key: input.run_id, delay_ms: left })
        return
      }
      const note = timeoutNote(timeout_minutes)
      setEntry(tx, entry.id, { verdict: 'timed_out', note })
      cancelRun(tx, input.run_id, note)
      advanceSoon(tx, entry)
    }),
})

export const followGates = handler(
  'the merge queue follows its gates',
  candidateTested,
  (tx, { id }) => {
    const entry = findEntry(tx.db, id)
    if (entry && entry.place !== null) takeOverResult(tx, entry)
  },
)

/** Ends gates that take longer than tests may. */
export const endGates = job<{ entry_id: string; sha: Oid }>({
  kind: 'end_queue_gates',
  run: ({ hearth }, { entry_id, sha }) =>
    writeAs(hearth, null, (tx) => {
      const entry = findEntry(tx.db, entry_id)
      if (entry?.candidate_sha !== sha || entry.state !== 'testing' || entry.verdict !== null)
        return
      if (gateResult(hearth, entry)?.state !== 'pending') return
      const context = contextOf(tx.db, entry.repo_id)
      const { timeout_minutes } = limitsOf(hearth, context, entry.base_ref)
      setEntry(tx, entry_id, { verdict: 'timed_out', note: timeoutNote(timeout_minutes) })
      advanceSoon(tx, entry)
    }),
})
