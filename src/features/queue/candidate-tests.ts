/**
 * How the tests of a candidate end: all commands ended, or the timeout for all of them together.
 */
import { handler } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { cancelRun, checksFinished, checksOfRun } from '#features/checks/index.ts'
import { contextOf } from '#features/pulls/index.ts'
import { MINUTE } from '#lib/time.ts'
import { setState } from './entry-changes.ts'
import { limitsOf } from './queue-settings.ts'
import { findByRun, findEntry, setEntry, type EntryRow } from './store.ts'
import { advanceSoon } from './request-advance.ts'

/** Takes over the result of a run that ended. */
export function takeOverResult(tx: Tx, entry: EntryRow): void {
  const checks = entry.run_id === null ? null : checksOfRun(tx.hearth, entry.run_id)
  if (
    !checks ||
    entry.state !== 'testing' ||
    entry.verdict !== null ||
    checks.status === 'pending' ||
    checks.status === 'none'
  )
    return
  advanceSoon(tx, entry)
  if (checks.status === 'passed') return setState(tx, entry, 'passed')
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
