import type { EventRow } from '#core/events.ts'
import { actorId } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { typeId } from '#core/ids.ts'
import { ownerInput } from '#core/owner.ts'
import { deliver } from './deliveries.ts'
import { ping } from './events.ts'
import { HookId, hookRoutes, requireDelivery, requireHook, writesHooks } from './webhook-owner.ts'
import { deliveryRecord } from './webhook-record.ts'
import { Delivery } from './schema.ts'
import type { HookRow } from './store.ts'

/**
 * Queues a ping, whichever events are subscribed. It is not in the timeline of the repository,
 * whose readers need not know its webhooks.
 */
export function sendPing(tx: Tx, hook: HookRow): string {
  const event: EventRow = {
    id: typeId('evt', tx.now_ms),
    type: ping.type,
    time: tx.now,
    repo_id: hook.repo_id,
    workspace_id:
      hook.workspace_id ??
      (hook.repo_id === null ? null : repoById(tx.db, hook.repo_id)?.workspace_id) ??
      '',
    actor_id: tx.caller && actorId(tx.caller),
    data: { hook: hook.id, events: JSON.parse(hook.events) as string[] },
  }
  const [delivery = ''] = deliver(tx, [hook], event)
  return delivery
}

export const pingWebhook = operation({
  name: 'ping_webhook',
  summary:
    'Try a webhook: sends an event of the type ping to its address, also while it is paused. The answer is the delivery, which goes on its way at once.',
  keywords: ['test a webhook', 'try a webhook', 'check that an endpoint works'],
  route: hookRoutes('POST', '/{id}/pings'),
  toolset: 'admin',
  access: writesHooks,
  input: Type.Object({ ...ownerInput, id: HookId }),
  output: Delivery,
  status: 202,
  annotations: { openWorld: true },

  handler: ({ repo, workspace, write }, { id }) =>
    write((tx) => {
      const hook = requireHook(tx.db, { repo, workspace }, id)
      return deliveryRecord(hook, requireDelivery(tx.db, hook, sendPing(tx, hook)), true)
    }),
})
