import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Nothing, Type } from '#core/schema.ts'
import { auditHook, HookId, hookRoutes, requireHook, writesHooks } from './webhook-owner.ts'
import { changeHook } from './pause-webhook.ts'
import { setRemoved } from './store.ts'
import { cancelDue } from './store-deliveries.ts'

/** Deletes a webhook. The sweep removes its deliveries, which may be many. */
export const deleteWebhook = operation({
  name: 'delete_webhook',
  summary:
    'Delete a webhook of a repository or workspace with its deliveries; nothing more is sent, what waits for another try included. The answer is empty.',
  keywords: ['remove an integration', 'stop sending events'],
  route: hookRoutes('DELETE', '/{id}'),
  toolset: 'admin',
  access: writesHooks,
  input: Type.Object({ ...ownerInput, id: HookId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, workspace, write }, { id }) =>
    write((tx) => {
      const grants = { repo, workspace }
      const hook = requireHook(tx.db, grants, id)
      changeHook(tx, hook, { active: 0 })
      cancelDue(tx, hook.id)
      setRemoved(tx, hook.id)
      auditHook(tx, 'webhook.deleted', hook, grants, {
        before: { host: new URL(hook.url).host, events: JSON.parse(hook.events) as string[] },
      })
      return null
    }),
})
