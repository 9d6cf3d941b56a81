import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { hookRoutes, readsHooks } from './webhook-owner.ts'
import { webhookRecord } from './webhook-record.ts'
import { Webhooks } from './schema.ts'
import { countHooks, listHooks } from './store.ts'

export const listWebhooks = operation({
  name: 'list_webhooks',
  summary:
    'List the webhooks of a repository, for those with admin, or of a workspace, for its owners; newest first, each with how its deliveries go.',
  keywords: ['integrations', 'which webhooks', 'hooks'],
  route: hookRoutes('GET'),
  toolset: 'admin',
  access: readsHooks,
  input: Type.Object({ ...ownerInput, ...byPage() }),
  output: Webhooks,
  list: 'page',

  handler: ({ hearth, db, repo, workspace }, paging) => {
    const owner = ownerOf({ repo, workspace })
    const window = windowOf(paging)
    const rows = listHooks(db, owner, { limit: window.limit + 1, offset: window.offset })
    return pageOf(
      rows.map((row) => webhookRecord(hearth, row)),
      window,
      countHooks(db, owner),
    )
  },
})
