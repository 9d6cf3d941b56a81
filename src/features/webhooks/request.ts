/** What goes to a receiver. Names of headers are part of the public interface. */
import type { HookRow } from './store.ts'
import type { DeliveryRow } from './store-deliveries.ts'

/** The headers of one delivery. Without a signature it has not been sent yet. */
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

/** Whether a webhook is told of events of this type. */
export const listensTo = ({ events }: Pick<HookRow, 'events'>, type: string): boolean => {
  const wanted = JSON.parse(events) as string[]
  return wanted.length === 0 || wanted.includes(type)
}
