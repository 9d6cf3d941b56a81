import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { readsSettings, settingRoutes } from './owner.ts'
import { Variables } from './schema.ts'
import { variableRecord } from './setting-record.ts'
import { countRows, listRows } from './store.ts'

export const listVariables = operation({
  name: 'list_variables',
  summary:
    'List the variables of a repository (Write) or of a workspace (members), newest first, each row with the environments and projects that it is for.',
  keywords: ['CI variables', 'configuration of workflows', 'vars'],
  route: settingRoutes('GET', 'variables'),
  toolset: 'workflows',
  access: readsSettings,
  input: Type.Object({ ...ownerInput, ...byPage() }),
  output: Variables,
  list: 'page',

  handler: ({ hearth, db, repo, workspace }, paging) => {
    const owner = ownerOf({ repo, workspace })
    const window = windowOf(paging)
    const rows = listRows(db, owner, 'variable', { ...window, limit: window.limit + 1 })
    return pageOf(
      rows.map((row) => variableRecord(hearth, row)),
      window,
      countRows(db, owner, 'variable'),
    )
  },
})
