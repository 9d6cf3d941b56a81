/**
 * The job that sends what is due for one webhook, a few at once. Each webhook has at most one
 * running, in a lane that nothing else uses, so a slow or dead receiver holds up its own deliveries
 * and nobody else's. What was being sent when the process ended is still due and is sent again
 * under the same id.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { SECOND } from '#lib/time.ts'
import { attempt } from './attempt.ts'
import { settle } from './settle.ts'
import { findHook, type HookRow } from './store.ts'
import { findDelivery, listDue, nextDue, type DeliveryRow } from './store-deliveries.ts'

/** How many deliveries of one webhook are on their way at once, */
const AT_ONCE = 8
/** and how many more may wait for the disk to take what came of them. */
const MOST_UNSETTLED = 64
/** How many are looked up together. */
const LOOKED_AHEAD = 100
/**
 * After so long a webhook with more to send gives its place to those that wait, and stands in line
 * again.
 */
const TURN_MS = 5 * SECOND
/** How long what is on its way may still take when the process is told to stop. */
const GRACE_MS = 2 * SECOND

/** The webhooks that this process is sending for, each with what makes its sender look again. */
const senders = new WeakMap<Hearth['settings'], Map<string, () => void>>()

function sendersOf({ settings }: Pick<Hearth, 'settings'>): Map<string, () => void> {
  let known = senders.get(settings)
  if (!known) senders.set(settings, (known = new Map()))
  return known
}

/**
 * Sees to it that what is due for a webhook is sent once this is on disk: by the sender that is at
 * work, or by a new one.
 */
export function startSending(tx: Tx, hook_id: string): void {
  const lookAgain = sendersOf(tx.hearth).get(hook_id)
  if (lookAgain) tx.afterCommit(lookAgain)
  else tx.enqueue(sendDeliveries, { hook_id }, { key: hook_id })
}

/** The same at a later moment. Many deliveries that are due at one moment share a job. */
export const sendLater = (tx: Tx, hook_id: string, due_at: number): void =>
  void tx.enqueue(
    sendDeliveries,
    { hook_id },
    { key: `${hook_id} ${due_at}`, delay_ms: due_at - tx.now_ms },
  )

export const sendDeliveries = job<{ hook_id: string }>({
  kind: 'send_deliveries',
  lane: 'webhooks',
  retry: ['5s', '30s', '2m', '10m', '1h'],
  async run({ hearth, signal }, { hook_id }) {
    const lookAgain = sendersOf(hearth).get(hook_id)
    if (lookAgain) return lookAgain()
    await takeTurn(hearth, hook_id, signal)
    // The row of this job stays, so the rest is sent after the next start.
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
 * Sends what is due until nothing is, the turn is over, or the process stops; then waits for what
 * is on its way.
 */
async function takeTurn(hearth: Hearth, hook_id: string, signal: AbortSignal): Promise<void> {
  const known = sendersOf(hearth)
  const abandon = new AbortController()
  const abandonSoon = (): void => void setTimeout(() => abandon.abort(), GRACE_MS).unref()
  const running = new Map<string, Promise<void>>()
  let onTheWay = 0
  /** Ids of what is due, the next one last. */
  let queue: string[] = []
  const end = performance.now() + TURN_MS
  const failures: unknown[] = []
  let woken = Promise.withResolvers<void>()

  const send = async (hook: HookRow, row: DeliveryRow): Promise<void> => {
    try {
      onTheWay++
      const outcome = await attempt(hearth, hook, row, abandon.signal).finally(() => {
        onTheWay--
        woken.resolve()
      })
      await writeAs(hearth, null, (tx) => {
        const next = settle(tx, row.id, outcome)
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
    while (onTheWay < AT_ONCE && running.size < MOST_UNSETTLED) {
      // Those that are not settled are still due, so as many more are asked for.
      if (queue.length === 0)
        queue = listDue(hearth.db, hook_id, hearth.clock.now(), LOOKED_AHEAD + running.size)
          .filter((id) => !running.has(id))
          .reverse()
      const id = queue.pop()
      if (id === undefined) return
      // It may have been called off since it was looked up.
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
    // In the same breath as the last look: what comes from here on begins a job of its own.
    known.delete(hook_id)
    signal.removeEventListener('abort', abandonSoon)
  }
  if (failures.length > 0) throw failures[0]
}
