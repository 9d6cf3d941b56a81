/**
 * Creates deliveries. The rows are written in the transaction of the event, so none is lost. Each
 * webhook has a job that sends them.
 */
import type { EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { eventRecord } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { startSending } from './send-deliveries.ts'
import type { HookRow } from './store.ts'
import { insertDelivery, putPayload, type DeliveryRow } from './store-deliveries.ts'

export const RETENTION_MS = 14 * DAY

/** The body of a request: the event as in the timeline, without fields for pages. */
export function payloadOf(hearth: Hearth, event: EventRow): string {
  const { summary: _summary, url: _url, ...rest } = eventRecord(hearth, event)
  return JSON.stringify(rest)
}

/**
 * Queues an event for webhooks. The payload is rendered now, so a later rename does not change it.
 */
export function deliver(tx: Tx, hooks: readonly HookRow[], event: EventRow): string[] {
  putPayload(tx, {
    event_id: event.id,
    type: event.type,
    body: payloadOf(tx.hearth, event),
    kept_until: timestamp(tx.now_ms + RETENTION_MS),
  })
  return hooks.map((hook) => insert(tx, hook.id, event.id, null))
}

/** Queues the same payload again as a new delivery. */
export function deliverAgain(tx: Tx, delivery: DeliveryRow): string {
  putPayload(tx, {
    event_id: delivery.event_id,
    type: delivery.type,
    body: delivery.payload,
    kept_until: timestamp(tx.now_ms + RETENTION_MS),
  })
  return insert(tx, delivery.hook_id, delivery.event_id, delivery.id)
}

function insert(tx: Tx, hook_id: string, event_id: string, redelivery_of: string | null): string {
  const id = typeId('dlv', tx.now_ms)
  insertDelivery(tx, { id, hook_id, event_id, redelivery_of })
  startSending(tx, hook_id)
  return id
}
