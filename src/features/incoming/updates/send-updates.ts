/**
 * The job that tells one service what became of its issues, one update after the other. What waits
 * is in a table, so nothing is lost when the process ends. An update whose answer did not arrive is
 * sent again: a status twice is the same, and a comment is looked for at the service first.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { service } from '#core/service.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { findIssue } from '#features/issues/index.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { findHook, findSubject, putSubject } from '../store.ts'
import { UpdateFailed } from './receiver.ts'
import { sendUpdate, type Told } from './send-update.ts'
import {
  findUpdate,
  insertUpdate,
  listDue,
  nextDue,
  setAttempted,
  type UpdateRow,
} from './store-updates.ts'

const DUE_PER_READ = 20
/** A service with more to be told gives way to others after this many. */
const MAX_UPDATES_A_TURN = 100
/** Delays after the first attempt, the second, and so on. */
const DELAYS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR] as const
const MAX_RETRY_AFTER_MS = HOUR
const MAX_MESSAGE_CHARS = 300

/** The services that this process is telling something. */
const told = service('trackers being told', () => new Set<string>())

/** Tells a service what waits, after the commit. */
export const startUpdating = (tx: Tx, integration_id: string): void =>
  void tx.enqueue(sendUpdates, { integration_id }, { key: integration_id })

export const sendUpdates = job<{ integration_id: string }>({
  kind: 'send_tracker_updates',
  queue: 'webhooks',
  async run({ hearth, signal }, { integration_id }) {
    // The turn that runs reads what waits until nothing is due.
    if (told(hearth).has(integration_id)) return
    told(hearth).add(integration_id)
    try {
      await takeTurn(hearth, integration_id, signal)
    } finally {
      told(hearth).delete(integration_id)
    }
    // The job stays in its table, so the rest is sent after the next start.
    if (signal.aborted) throw new Error('the process is stopping')
    const next = nextDue(hearth.db, integration_id)
    if (next === null) return
    await writeAs(hearth, null, (tx) => {
      const delay_ms = Math.max(0, next - tx.now_ms)
      const key = delay_ms === 0 ? integration_id : `${integration_id} ${next}`
      tx.enqueue(sendUpdates, { integration_id }, { key, delay_ms })
    })
  },
})

async function takeTurn(
  hearth: Hearth,
  integration_id: string,
  signal: AbortSignal,
): Promise<void> {
  for (let left = MAX_UPDATES_A_TURN; left > 0; ) {
    const rows = listDue(hearth.db, integration_id, hearth.clock.now(), DUE_PER_READ)
    if (rows.length === 0) return
    for (const row of rows) {
      if (signal.aborted || left-- <= 0) return
      await tell(hearth, row, signal)
    }
  }
}

async function tell(hearth: Hearth, row: UpdateRow, signal: AbortSignal): Promise<void> {
  let result: Told | UpdateFailed
  try {
    result = await sendUpdate(hearth, row, signal)
  } catch (error) {
    if (!(error instanceof UpdateFailed)) throw error
    // A request that this process broke off does not count as an attempt.
    if (signal.aborted) return
    result = error
  }
  await writeAs(hearth, null, (tx) => {
    if (findUpdate(tx.db, row.seq)?.state !== 'waiting') return
    if (result instanceof UpdateFailed) settleFailure(tx, row, result)
    else settle(tx, row, result)
  })
}

function settle(tx: Tx, row: UpdateRow, { state, message, open }: Told): void {
  const attempt = row.attempt + (state === 'sent' ? 1 : 0)
  setAttempted(tx, row.seq, { state, attempt, due_at: null, message })
  if (open === null) return
  const subject = findSubject(tx.db, row.integration_id, row.fingerprint)
  if (subject) putSubject(tx, { ...subject, open: open ? 1 : 0 })
  tellAgainIfChanged(tx, row, open)
}

/** The issue changed while the service was told, when nothing new could wait. */
function tellAgainIfChanged(tx: Tx, row: UpdateRow, told: boolean): void {
  const hook = findHook(tx.db, row.integration_id)
  const issue = hook && findIssue(tx.db, hook.repo_id, row.number)
  if (issue && (issue.open === 1) !== told) insertUpdate(tx, row)
}

function settleFailure(tx: Tx, row: UpdateRow, failure: UpdateFailed): void {
  const attempt = row.attempt + 1
  const delay = failure.isTemporary ? DELAYS_MS[attempt - 1] : undefined
  const asked = Math.min(MAX_RETRY_AFTER_MS, failure.retryAfterMs ?? 0)
  setAttempted(tx, row.seq, {
    state: delay === undefined ? 'failed' : 'waiting',
    attempt,
    due_at: delay === undefined ? null : tx.now_ms + Math.max(delay, asked),
    message: failure.message.slice(0, MAX_MESSAGE_CHARS),
  })
}
