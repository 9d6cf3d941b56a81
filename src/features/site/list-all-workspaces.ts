import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { SiteWorkspaces } from './schema.ts'
import { countWorkspaceRows, listWorkspaceRows } from './store.ts'
import { readUsage } from './usage.ts'

export const listAllWorkspaces = operation({
  name: 'list_all_workspaces',
  summary:
    'List the workspaces of this site, newest first, by text in slug or name (q), each with what it takes and its quotas. For site administrators, people only.',
  keywords: ['all organizations of the site', 'every organization'],
  route: 'GET /admin/workspaces',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object({
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the slug or name.' })),
    ...byPage(),
  }),
  output: SiteWorkspaces,
  list: 'page',

  handler: ({ hearth, db }, { q, ...paging }) => {
    const window = windowOf(paging)
    const text = q?.trim().toLowerCase() || null
    const rows = listWorkspaceRows(db, text, { limit: window.limit, offset: window.offset })
    const usageOf = readUsage(
      hearth,
      rows.map(({ id }) => id),
    )
    return pageOf(
      rows.map((row) => ({ ...row, usage: usageOf(row.id) })),
      window,
      countWorkspaceRows(db, text),
    )
  },
})
