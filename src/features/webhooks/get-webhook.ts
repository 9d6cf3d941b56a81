import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { HookId, hookRoutes, readsHooks, requireHook } from './webhook-owner.ts'
import { webhookRecord } from './webhook-record.ts'
import { Webhook } from './schema.ts'

export const getWebhook = operation({
  name: 'get_webhook',
  summary:
    'Read one webhook of a repository or workspace: where it sends, what it is told of, and how its deliveries go. The secret is never shown again.',
  keywords: ['webhook details'],
  route: hookRoutes('GET', '/{id}'),
  toolset: 'admin',
  access: readsHooks,
  input: Type.Object({ ...ownerInput, id: HookId }),
  output: Webhook,

  handler: ({ hearth, db, repo, workspace }, { id }) =>
    webhookRecord(hearth, requireHook(db, { repo, workspace }, id)),
})
