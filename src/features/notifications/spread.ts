/**
 * The job that tells people. It takes the oldest work, works out whom it concerns, and tells some
 * at a time, each batch in one transaction with the mark of how far it got: a process that is
 * killed goes on there, and tells nobody twice.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { MINUTE } from '#lib/time.ts'
import { AT_ONCE, makePlan } from './plan.ts'
import { nextWork, removeWork, setTold, setTried, stands, type WorkRow } from './store-work.ts'
import { tellSome } from './tell.ts'
import type { Plan } from './work.ts'

/** So many pieces of work share a commit. */
const BESIDE = 20

const running = new WeakSet<Hearth['settings']>()

async function followPlan(hearth: Hearth, row: WorkRow, plan: Plan): Promise<void> {
  await writeAs(hearth, null, (tx) => {
    if (!stands(tx.db, row)) return
    const left = plan.people.filter(([user_id]) => user_id > row.told)
    const now = left.slice(0, AT_ONCE)
    tellSome(tx, plan, now)
    const last = now.at(-1)
    if (left.length > now.length && last) setTold(tx, row.seq, last[0])
    else removeWork(tx, row.seq)
  })
}

/**
 * What can be done side by side: the oldest, as long as no two are about one record, where one may
 * subscribe whom the next tells.
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

export const spreadNotifications = job<null>({
  kind: 'spread_notifications',
  // Events wake it; this is for what went wrong and is to be tried again.
  every: '10m',
  async run({ hearth, signal }) {
    // One at a time. Whoever is at it sees what was added meanwhile before it ends.
    if (running.has(hearth.settings)) return
    running.add(hearth.settings)
    const failed: number[] = []
    const failure = async (row: WorkRow, error: unknown): Promise<void> => {
      hearth.log.error('people could not be told of something', { error, work: row.seq })
      failed.push(row.seq)
      await writeAs(hearth, null, (tx) => {
        setTried(tx, row.seq)
        tx.enqueue(spreadNotifications, null, { key: 'again', delay_ms: MINUTE })
      })
    }
    try {
      for (
        let rows = nextWork(hearth.db, failed, BESIDE);
        rows.length > 0;
        rows = nextWork(hearth.db, failed, BESIDE)
      ) {
        // A job that ends is gone; one that is cut off is taken up at the next start.
        signal.throwIfAborted()
        await Promise.all(
          batchOf(rows).map((row) =>
            (row.plan === null ? makePlan(hearth, row) : followPlan(hearth, row, row.plan)).catch(
              (error: unknown) => failure(row, error),
            ),
          ),
        )
      }
    } finally {
      running.delete(hearth.settings)
    }
  },
})
