/**
 * The job that notifies people. It takes the oldest work, plans whom to notify, and notifies them
 * in batches. Each batch commits with its progress, so a restarted process continues there and
 * notifies nobody twice.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { MINUTE } from '#lib/time.ts'
import { PEOPLE_PER_BATCH, makePlan } from './plan.ts'
import {
  nextWork,
  removeWork,
  setDelivered,
  setTried,
  isUnchanged,
  type WorkRow,
} from './store-work.ts'
import { notifySome } from './notify-person.ts'
import type { Plan } from './work.ts'

/** Pieces of work in one transaction. */
const MAX_WORK_PER_BATCH = 20

/** Whether the job runs now in this process. */
const delivery = service('notification delivery', () => ({ isRunning: false }))

async function followPlan(hearth: Hearth, row: WorkRow, plan: Plan): Promise<void> {
  await writeAs(hearth, null, (tx) => {
    if (!isUnchanged(tx.db, row)) return
    const left = plan.people.filter(([user_id]) => user_id > row.told)
    const now = left.slice(0, PEOPLE_PER_BATCH)
    notifySome(tx, plan, now)
    const last = now.at(-1)
    if (left.length > now.length && last) setDelivered(tx, row.seq, last[0])
    else removeWork(tx, row.seq)
  })
}

/**
 * The oldest work that can be processed together: no two about one record, because one may
 * subscribe people for the next.
 */
function batchOf(rows: readonly WorkRow[]): WorkRow[] {
  const records = new Set<string>()
  const batch: WorkRow[] = []
  for (const row of rows) {
    const record =
      row.data.kind === 'event'
        ? `event ${row.data.event_id}`
        : `${row.data.repo_id} ${row.data.number}`
    if (records.has(record)) break
    records.add(record)
    batch.push(row)
  }
  return batch
}

export const deliverNotifications = job<null>({
  kind: 'spread_notifications',
  // Events enqueue it; the interval serves retries.
  every: '10m',
  async run({ hearth, signal }) {
    // One job runs at a time; it also processes work that is added meanwhile.
    const state = delivery(hearth)
    if (state.isRunning) return
    state.isRunning = true
    try {
      await deliverAll(hearth, signal)
    } finally {
      state.isRunning = false
    }
  },
})

/** Processes all stored work. Failed work is tried again by a later job. */
async function deliverAll(hearth: Hearth, signal: AbortSignal): Promise<void> {
  const failed: number[] = []
  const process = async (row: WorkRow): Promise<void> => {
    try {
      await (row.plan === null ? makePlan(hearth, row) : followPlan(hearth, row, row.plan))
    } catch (error) {
      hearth.log.error('people could not be notified', { error, work: row.seq })
      failed.push(row.seq)
      await writeAs(hearth, null, (tx) => {
        setTried(tx, row.seq)
        tx.enqueue(deliverNotifications, null, { key: 'again', delay_ms: MINUTE })
      })
    }
  }
  for (;;) {
    const rows = nextWork(hearth.db, failed, MAX_WORK_PER_BATCH)
    if (rows.length === 0) return
    // A job that throws is repeated at the next start; one that returns is done.
    signal.throwIfAborted()
    await Promise.all(batchOf(rows).map(process))
  }
}
