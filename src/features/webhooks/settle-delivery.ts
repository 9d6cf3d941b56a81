/**
 * Applies the outcome of an attempt: the state of the delivery, its next attempt, the light of its
 * webhook, and whether the webhook is paused.
 */
import type { Tx } from '#core/write.ts'
import { HOUR, MINUTE, SECOND, timestamp } from '#lib/time.ts'
import type { Outcome } from './send-attempt.ts'
import { pauseFailing } from './pause-webhook.ts'
import { MAX_ATTEMPTS, type DeliveryState, type Light } from './schema.ts'
import { findHook, setDeliveryState, type HookRow } from './store.ts'
import { findDelivery, setAttempted, type DeliveryRow } from './store-deliveries.ts'

/** Delays after the first attempt, the second, and so on. */
const DELAYS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR] as const

const LIGHTS: Readonly<Record<DeliveryState, Light>> = {
  sent: 'none',
  delivered: 'green',
  waiting: 'amber',
  failed: 'red',
  cancelled: 'red',
}

/** Rounded to seconds, so that deliveries that failed together are retried together. */
const dueAfter = (now_ms: number, attempt: number): number =>
  Math.ceil((now_ms + (DELAYS_MS[attempt - 1] ?? 0)) / SECOND) * SECOND

function stateAfter(
  hook: HookRow,
  delivery: DeliveryRow,
  attempt: number,
  arrived: boolean,
): DeliveryState {
  if (arrived) return 'delivered'
  // It was cancelled in flight, or its webhook was paused.
  if (delivery.state === 'cancelled' || hook.active === 0) return 'cancelled'
  return attempt < MAX_ATTEMPTS ? 'waiting' : 'failed'
}

/** Stores the outcome of an attempt. Returns the time of the next one, or null for none. */
export function settleDelivery(tx: Tx, id: string, outcome: Outcome): number | null {
  const delivery = findDelivery(tx.db, id)
  const hook = delivery && findHook(tx.db, delivery.hook_id)
  if (!delivery || !hook) return null
  const attempt = delivery.tried_at === null ? 1 : Math.min(MAX_ATTEMPTS, delivery.attempt + 1)
  const state = stateAfter(hook, delivery, attempt, outcome.arrived)
  const due_at = state === 'waiting' ? dueAfter(tx.now_ms, attempt) : null
  const { response } = outcome
  setAttempted(tx, id, {
    state,
    attempt,
    due_at,
    tried_at: tx.now,
    url: outcome.url,
    signature: outcome.signature,
    error: outcome.error,
    duration_ms: outcome.duration_ms,
    status: response?.status ?? null,
    headers: response && JSON.stringify(response.headers),
    body: response?.body ?? null,
    finished_at: state === 'waiting' ? null : tx.now,
  })
  const standing = hookStateAfter(hook, delivery.id, state, timestamp(tx.now_ms))
  if (standing !== hook) setDeliveryState(tx, hook.id, standing)
  if (state === 'failed') pauseFailing(tx, { ...hook, ...standing })
  return due_at
}

type HookState = Pick<HookRow, 'light' | 'light_delivery' | 'failed_in_row' | 'failing_since'>

/** The light shows the newest attempted delivery. A success ends a series of failures. */
function hookStateAfter(hook: HookRow, id: string, state: DeliveryState, now: string): HookState {
  const isNewest = hook.light_delivery === null || id >= hook.light_delivery
  const light = isNewest
    ? { light: LIGHTS[state], light_delivery: id }
    : { light: hook.light, light_delivery: hook.light_delivery }
  const row =
    state === 'failed'
      ? { failed_in_row: hook.failed_in_row + 1, failing_since: hook.failing_since ?? now }
      : state === 'delivered'
        ? { failed_in_row: 0, failing_since: null }
        : { failed_in_row: hook.failed_in_row, failing_since: hook.failing_since }
  const standing = { ...light, ...row }
  const isSame = (Object.keys(standing) as (keyof HookState)[]).every(
    (name) => standing[name] === hook[name],
  )
  return isSame ? hook : standing
}
