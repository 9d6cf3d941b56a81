import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { readsSettings, settingRoutes } from './owner.ts'
import { Secrets } from './schema.ts'
import { secretRecord } from './setting-record.ts'
import { countRows, listRows } from './store.ts'

export const listSecrets = operation({
  name: 'list_secrets',
  summary:
    'List the secrets of a repository (Write) or of a workspace (members), newest first, with their names and what they are for. Values are never shown.',
  keywords: ['which secrets exist', 'CI secrets', 'credentials of workflows'],
  route: settingRoutes('GET', 'secrets'),
  toolset: 'workflows',
  access: readsSettings,
  input: Type.Object({ ...ownerInput, ...byPage() }),
  output: Secrets,
  list: 'page',

  handler: ({ hearth, db, repo, workspace }, paging) => {
    const owner = ownerOf({ repo, workspace })
    const window = windowOf(paging)
    const rows = listRows(db, owner, 'secret', { ...window, limit: window.limit + 1 })
    return pageOf(
      rows.map((row) => secretRecord(hearth, row)),
      window,
      countRows(db, owner, 'secret'),
    )
  },
})
