import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { Events, readEvents, readUrl, Url } from './inputs.ts'
import { auditHook, HookId, hookRoutes, requireHook, writesHooks } from './webhook-owner.ts'
import { changeHook } from './pause-webhook.ts'
import { webhookRecord } from './webhook-record.ts'
import { Webhook } from './schema.ts'
import { encryptSecret, secretFrom } from './secret.ts'
import type { HookChange, HookRow } from './store.ts'

/** The audited settings of a webhook, with the host but not the whole URL. */
const settingsOf = (row: HookRow) => ({
  host: new URL(row.url).host,
  events: JSON.parse(row.events) as string[],
  active: row.active === 1,
})

export const updateWebhook = operation({
  name: 'update_webhook',
  summary:
    'Change where a webhook sends, what it is told of, its secret, or pause it (active false), which calls off what waits for another try. What is left out stays. The secret is not shown.',
  keywords: [
    'change the URL of a webhook',
    'pause a webhook',
    'disable a webhook',
    'secret of a webhook',
  ],
  route: hookRoutes('PATCH', '/{id}'),
  toolset: 'admin',
  access: writesHooks,
  input: Type.Object({
    ...ownerInput,
    id: HookId,
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    active: Type.Optional(Type.Boolean()),
    secret: Type.Optional(
      Type.String({
        minLength: 16,
        maxLength: 256,
        description: 'Replaces the secret, from the next try on.',
      }),
    ),
  }),
  output: Webhook,
  annotations: { idempotent: true, openWorld: true },

  handler: async ({ hearth, caller, db, repo, workspace, write }, { id, ...input }) => {
    const grants = { repo, workspace }
    requireHook(db, grants, id)
    const change: HookChange = {
      ...(input.events === undefined ? {} : { events: JSON.stringify(readEvents(input.events)) }),
      ...(input.active === undefined ? {} : { active: input.active ? 1 : 0 }),
      ...(input.secret === undefined
        ? {}
        : { secret: encryptSecret(hearth, secretFrom(input.secret)) }),
      ...(input.url === undefined ? {} : { url: await readUrl(hearth, caller, input.url) }),
    }
    return write((tx) => {
      const before = requireHook(tx.db, grants, id)
      const changed = (Object.keys(change) as (keyof HookChange)[]).filter(
        (name) => change[name] !== before[name],
      )
      if (changed.length > 0) {
        changeHook(tx, before, change)
        auditHook(tx, 'webhook.updated', before, grants, {
          changed,
          before: settingsOf(before),
          after: settingsOf({ ...before, ...change }),
        })
      }
      return webhookRecord(hearth, requireHook(tx.db, grants, id))
    })
  },
})
