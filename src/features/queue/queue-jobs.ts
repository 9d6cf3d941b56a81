/** Enqueues the jobs that advance queues. The work is in `drive.ts`. */
import { service } from '#core/service.ts'
import { job, type JobContext } from '#core/jobs.ts'
import type { Tx } from '#core/write.ts'
import { writeAs } from '#core/write.ts'
import { advance } from './advance-queue.ts'
import type { QueueKey } from './store.ts'

const keyOf = ({ repo_id, base_ref }: QueueKey): string => `${repo_id} ${base_ref}`

/** Queues that are being advanced; `again` is set when something happened meanwhile. */
const advancing = service('merge queues', () => new Map<string, { again: boolean }>())

/** Advances one queue. One job works on a queue at a time; a second one makes the first repeat. */
export const advanceQueue = job<QueueKey>({
  kind: 'drive_queue',
  retry: ['2s', '10s', '1m', '5m'],
  run: (context, { repo_id, base_ref }) => advanceAlone(context, { repo_id, base_ref }),
})

async function advanceAlone({ hearth, signal }: JobContext, queue: QueueKey): Promise<void> {
  const all = advancing(hearth)
  const key = keyOf(queue)
  const other = all.get(key)
  if (other) {
    other.again = true
    return
  }
  const mine = { again: true }
  all.set(key, mine)
  try {
    while (mine.again) {
      mine.again = false
      await advance(hearth, queue, signal)
    }
  } finally {
    all.delete(key)
  }
}

/** Advances a queue as soon as this transaction is on disk. */
export const advanceSoon = (tx: Tx, { repo_id, base_ref }: QueueKey): void =>
  void tx.enqueue(advanceQueue, { repo_id, base_ref }, { key: keyOf({ repo_id, base_ref }) })

/**
 * Advances a queue at a later time. It is a job kind of its own, so that a job that waits does not
 * replace one that is due now.
 */
export const wakeQueue = job<QueueKey>({
  kind: 'wake_queue',
  run: ({ hearth }, queue) => writeAs(hearth, null, (tx) => advanceSoon(tx, queue)),
})

/** The longest wait for a merge window, because the window may change meanwhile. */
const MAX_WAIT_MS = 6 * 60 * 60_000

export function advanceAt(tx: Tx, queue: QueueKey, at: number): void {
  const delay_ms = Math.min(MAX_WAIT_MS, Math.max(1_000, at - tx.now_ms + 500))
  tx.enqueue(
    wakeQueue,
    { repo_id: queue.repo_id, base_ref: queue.base_ref },
    { key: `${keyOf(queue)} ${at}`, delay_ms },
  )
}
