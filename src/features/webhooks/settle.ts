/**
 * What a try of a delivery changes: its state, when it is tried again, the light of its webhook,
 * and whether that goes on at all.
 */
import type { Tx } from '#core/write.ts'
import { HOUR, MINUTE, SECOND, timestamp } from '#lib/time.ts'
import type { Outcome } from './attempt.ts'
import { pauseFailing } from './pause.ts'
import { MOST_ATTEMPTS, type DeliveryState, type Light } from './schema.ts'
import { findHook, setStanding, type HookRow } from './store.ts'
import { findDelivery, setTried, type DeliveryRow } from './store-deliveries.ts'

/** How long to wait after the first try, the second, and so on. */
const DELAYS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR] as const

const LIGHTS: Readonly<Record<DeliveryState, Light>> = {
  sent: 'none',
  delivered: 'green',
  waiting: 'amber',
  failed: 'red',
  cancelled: 'red',
}

/** Full seconds, so that many that failed together are tried together. */
const dueAfter = (now_ms: number, attempt: number): number =>
  Math.ceil((now_ms + (DELAYS_MS[attempt - 1] ?? 0)) / SECOND) * SECOND

function stateAfter(
  hook: HookRow,
  delivery: DeliveryRow,
  attempt: number,
  arrived: boolean,
): DeliveryState {
  if (arrived) return 'delivered'
  // It was called off while it was on its way, or nobody wants it to be tried again.
  if (delivery.state === 'cancelled' || hook.active === 0) return 'cancelled'
  return attempt < MOST_ATTEMPTS ? 'waiting' : 'failed'
}

/** Writes down what came of a try. Gives the moment of the next one, null when there is none. */
export function settle(tx: Tx, id: string, outcome: Outcome): number | null {
  const delivery = findDelivery(tx.db, id)
  const hook = delivery && findHook(tx.db, delivery.hook_id)
  if (!delivery || !hook) return null
  const attempt = delivery.tried_at === null ? 1 : Math.min(MOST_ATTEMPTS, delivery.attempt + 1)
  const state = stateAfter(hook, delivery, attempt, outcome.arrived)
  const due_at = state === 'waiting' ? dueAfter(tx.now_ms, attempt) : null
  const { response } = outcome
  setTried(tx, id, {
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
  const standing = standingAfter(hook, delivery.id, state, timestamp(tx.now_ms))
  if (standing !== hook) setStanding(tx, hook.id, standing)
  if (state === 'failed') pauseFailing(tx, { ...hook, ...standing })
  return due_at
}

type Standing = Pick<HookRow, 'light' | 'light_delivery' | 'failed_in_row' | 'failing_since'>

/**
 * The light tells of the newest delivery that was tried; the row of failures ends with one that
 * arrives.
 */
function standingAfter(hook: HookRow, id: string, state: DeliveryState, now: string): Standing {
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
  const isSame = (Object.keys(standing) as (keyof Standing)[]).every(
    (name) => standing[name] === hook[name],
  )
  return isSame ? hook : standing
}
