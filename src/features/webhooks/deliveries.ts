/**
 * Making deliveries. A row for each webhook is written in the transaction of the event, so that one
 * that was answered for is never lost; sending is a job of its own for each webhook.
 */
import type { EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { eventRecord } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import { startSending } from './send-deliveries.ts'
import type { HookRow } from './store.ts'
import { insertDelivery, putPayload, type DeliveryRow } from './store-deliveries.ts'

export const KEPT_MS = 14 * DAY

/** The text that is sent: the event as the timeline has it, without what is only for people. */
export function payloadOf(hearth: Hearth, event: EventRow): string {
  const { summary: _summary, url: _url, ...rest } = eventRecord(hearth, event)
  return JSON.stringify(rest)
}

/**
 * Sends an event to webhooks, as the world is at this moment: a later rename does not change what
 * is sent.
 */
export function deliver(tx: Tx, hooks: readonly HookRow[], event: EventRow): string[] {
  putPayload(tx, {
    event_id: event.id,
    type: event.type,
    body: payloadOf(tx.hearth, event),
    kept_until: timestamp(tx.now_ms + KEPT_MS),
  })
  return hooks.map((hook) => insert(tx, hook.id, event.id, null))
}

/** Sends the same text again as a new delivery. */
export function deliverAgain(tx: Tx, delivery: DeliveryRow): string {
  putPayload(tx, {
    event_id: delivery.event_id,
    type: delivery.type,
    body: delivery.payload,
    kept_until: timestamp(tx.now_ms + KEPT_MS),
  })
  return insert(tx, delivery.hook_id, delivery.event_id, delivery.id)
}

function insert(tx: Tx, hook_id: string, event_id: string, redelivery_of: string | null): string {
  const id = typeId('dlv', tx.now_ms)
  insertDelivery(tx, { id, hook_id, event_id, redelivery_of })
  startSending(tx, hook_id)
  return id
}
