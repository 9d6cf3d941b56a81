/** The jobs that advance queues. What asks for them is in `request-advance.ts`. */
import { service } from '#core/service.ts'
import { job, type JobContext } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { handler } from '#core/events.ts'
import { advance } from './advance-queue.ts'
import { advanceRequested, advanceSoon } from './request-advance.ts'
import type { QueueKey } from './store.ts'

/** The longest wait for a merge window, because the window may change meanwhile. */
const MAX_WAIT_MS = 6 * 60 * 60_000

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

/**
 * Advances a queue at a later time. It is a job kind of its own, so that a job that waits does not
 * replace one that is due now.
 */
export const wakeQueue = job<QueueKey>({
  kind: 'wake_queue',
  run: ({ hearth }, queue) => writeAs(hearth, null, (tx) => advanceSoon(tx, queue)),
})

export const enqueueAdvance = handler(
  'enqueue_advance',
  advanceRequested,
  (tx, { repo_id, base_ref, at_ms }) => {
    const queue = { repo_id, base_ref }
    if (at_ms === null) return void tx.enqueue(advanceQueue, queue, { key: keyOf(queue) })
    const delay_ms = Math.min(MAX_WAIT_MS, Math.max(1_000, at_ms - tx.now_ms + 500))
    tx.enqueue(wakeQueue, queue, { key: `${keyOf(queue)} ${at_ms}`, delay_ms })
  },
)
