/**
 * The job that sends due deliveries of one webhook, several at once. Each webhook has at most one
 * running job, in a job queue of their own. So a slow receiver delays only its own deliveries. A
 * delivery in flight when the process ends stays due and is sent again under the same id.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { service } from '#core/service.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { SECOND } from '#lib/time.ts'
import { sendAttempt } from './send-attempt.ts'
import { settleDelivery } from './settle-delivery.ts'
import { findHook, type HookRow } from './store.ts'
import { findDelivery, listDue, nextDue, type DeliveryRow } from './store-deliveries.ts'

/** Requests of one webhook in flight. */
const MAX_CONCURRENT_REQUESTS = 8
/** Deliveries in flight, including those whose outcome is not on disk yet. */
const MAX_UNSETTLED = 64
/** Due deliveries read at once. */
const DUE_PER_READ = 100
/** A webhook with more to send gives way to other webhooks after this time. */
const MAX_TURN_MS = 5 * SECOND
/** When the process stops, requests in flight may take this much longer. */
const GRACE_MS = 2 * SECOND

/** A wake-up function for each webhook that this process is sending for. */
const senders = service('webhook senders', () => new Map<string, () => void>())

/**
 * Sends due deliveries of a webhook after the commit: wakes the running job or enqueues a new one.
 */
export function startSending(tx: Tx, hook_id: string): void {
  const wakeSender = senders(tx.hearth).get(hook_id)
  if (wakeSender) tx.afterCommit(wakeSender)
  else tx.enqueue(sendDeliveries, { hook_id }, { key: hook_id })
}

/** The same at a later time. Deliveries that are due at the same time share a job. */
export const sendLater = (tx: Tx, hook_id: string, due_at: number): void =>
  void tx.enqueue(
    sendDeliveries,
    { hook_id },
    { key: `${hook_id} ${due_at}`, delay_ms: due_at - tx.now_ms },
  )

export const sendDeliveries = job<{ hook_id: string }>({
  kind: 'send_deliveries',
  queue: 'webhooks',
  retry: ['5s', '30s', '2m', '10m', '1h'],
  async run({ hearth, signal }, { hook_id }) {
    const wakeSender = senders(hearth).get(hook_id)
    if (wakeSender) return wakeSender()
    await takeTurn(hearth, hook_id, signal)
    // The job stays in its table, so the rest is sent after the next start.
    if (signal.aborted) throw new Error('the process is stopping')
    const next = nextDue(hearth.db, hook_id)
    if (next === null) return
    await writeAs(hearth, null, (tx) => {
      if (next > tx.now_ms) sendLater(tx, hook_id, next)
      else tx.enqueue(sendDeliveries, { hook_id }, { key: hook_id })
    })
  },
})

/**
 * Sends due deliveries until none are left, the turn is over, or the process stops. Then waits for
 * those in flight.
 */
async function takeTurn(hearth: Hearth, hook_id: string, signal: AbortSignal): Promise<void> {
  const known = senders(hearth)
  const abandon = new AbortController()
  const abandonSoon = (): void => void setTimeout(() => abandon.abort(), GRACE_MS).unref()
  const running = new Map<string, Promise<void>>()
  let onTheWay = 0
  /** Ids of due deliveries, the next one last. */
  let queue: string[] = []
  const end = performance.now() + MAX_TURN_MS
  const failures: unknown[] = []
  let woken = Promise.withResolvers<void>()

  const send = async (hook: HookRow, row: DeliveryRow): Promise<void> => {
    try {
      onTheWay++
      const outcome = await sendAttempt(hearth, hook, row, abandon.signal).finally(() => {
        onTheWay--
        woken.resolve()
      })
      await writeAs(hearth, null, (tx) => {
        const next = settleDelivery(tx, row.id, outcome)
        if (next !== null) sendLater(tx, hook_id, next)
      })
    } catch (error) {
      failures.push(error)
    } finally {
      running.delete(row.id)
    }
  }
  const startDue = (): void => {
    const hook = findHook(hearth.db, hook_id)
    if (hook === null || failures.length > 0 || signal.aborted || performance.now() > end) return
    while (onTheWay < MAX_CONCURRENT_REQUESTS && running.size < MAX_UNSETTLED) {
      // Unsettled deliveries are still due, so that many more are read.
      if (queue.length === 0)
        queue = listDue(hearth.db, hook_id, hearth.clock.now(), DUE_PER_READ + running.size)
          .filter((id) => !running.has(id))
          .reverse()
      const id = queue.pop()
      if (id === undefined) return
      // It may have been cancelled meanwhile.
      const row = findDelivery(hearth.db, id)
      if (row !== null && row.due_at !== null) running.set(id, send(hook, row))
    }
  }

  known.set(hook_id, () => woken.resolve())
  signal.addEventListener('abort', abandonSoon, { once: true })
  try {
    for (startDue(); running.size > 0; startDue()) {
      await Promise.race([...running.values(), woken.promise])
      woken = Promise.withResolvers()
    }
  } finally {
    // No await since the last check: later deliveries enqueue a new job.
    known.delete(hook_id)
    signal.removeEventListener('abort', abandonSoon)
  }
  if (failures.length > 0) throw failures[0]
}
