/** Headers of requests to receivers. Their names are part of the public interface. */
import type { HookRow } from './store.ts'
import type { DeliveryRow } from './store-deliveries.ts'

/** The headers of one delivery; without a signature for one that was not sent yet. */
export const headersOf = (
  delivery: Pick<DeliveryRow, 'id' | 'hook_id' | 'type'>,
  signature: string | null,
): Record<string, string> => ({
  'Content-Type': 'application/json',
  'User-Agent': 'svc-webhooks/1',
  'X-Svc-Event': delivery.type,
  'X-Svc-Delivery': delivery.id,
  'X-Svc-Hook': delivery.hook_id,
  ...(signature === null ? {} : { 'X-Svc-Signature-256': signature }),
})

/** Whether a webhook subscribes to events of this type. */
export const isSubscribed = ({ events }: Pick<HookRow, 'events'>, type: string): boolean => {
  const wanted = JSON.parse(events) as string[]
  return wanted.length === 0 || wanted.includes(type)
}
