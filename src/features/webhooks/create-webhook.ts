import { actorId } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { Events, readEvents, readUrl, Secret, Url } from './inputs.ts'
import { auditHook, hookRoutes, requireHook, writesHooks } from './webhook-owner.ts'
import { sendPing } from './ping-webhook.ts'
import { webhookRecord } from './webhook-record.ts'
import { MAX_WEBHOOKS, Webhook } from './schema.ts'
import { encryptSecret, secretFrom } from './secret.ts'
import { countHooks, insertHook } from './store.ts'

export const createWebhook = operation({
  name: 'create_webhook',
  summary: `Send what happens in a repository or workspace to an https address, from a ping on. For those with admin, or owners; at most ${MAX_WEBHOOKS}. The answer holds the secret that signs, this once.`,
  keywords: [
    'let another app get events',
    'send events',
    'Slack',
    'notify another service',
    'integration',
    'callback',
    'post events to a URL',
    'Discord',
  ],
  route: hookRoutes('POST'),
  toolset: 'admin',
  access: writesHooks,
  input: Type.Object({
    ...ownerInput,
    url: Url,
    events: Type.Optional(Events),
    secret: Type.Optional(Secret),
  }),
  output: Webhook,
  status: 201,
  secretAnswer: true,
  annotations: { openWorld: true },

  handler: async ({ hearth, caller, repo, workspace, write }, input) => {
    const grants = { repo, workspace }
    const owner = ownerOf(grants)
    const events = readEvents(input.events ?? [])
    const secret = secretFrom(input.secret)
    const url = await readUrl(hearth, caller, input.url)
    return write((tx) => {
      if (countHooks(tx.db, owner) >= MAX_WEBHOOKS)
        throw conflict(
          'limit_reached',
          `there are ${MAX_WEBHOOKS} webhooks already, which is the most`,
        )
      const id = typeId('whk', tx.now_ms)
      insertHook(tx, {
        ...owner,
        id,
        url,
        events: JSON.stringify(events),
        secret: encryptSecret(hearth, secret),
        created_by: actorId(caller),
      })
      const hook = requireHook(tx.db, grants, id)
      auditHook(tx, 'webhook.created', hook, grants, { after: { host: new URL(url).host, events } })
      sendPing(tx, hook)
      return webhookRecord(hearth, hook, secret)
    })
  },
})
