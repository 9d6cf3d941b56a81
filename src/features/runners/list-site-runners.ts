import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { SITE } from './owner.ts'
import { runnerRecords } from './runner-record.ts'
import { Runners } from './schema.ts'
import { countRunners, listRunnerRows } from './store-runners.ts'

export const listSiteRunners = operation({
  name: 'list_site_runners',
  summary:
    'List the runners elsewhere that serve every repository of this installation, newest first. For site administrators, people only.',
  keywords: ['shared runners', 'build machines of the site'],
  route: 'GET /admin/runners',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object(byPage()),
  output: Runners,
  list: 'page',

  handler: ({ hearth, db }, paging) => {
    const window = windowOf(paging)
    const rows = listRunnerRows(db, SITE, { ...window, limit: window.limit + 1 })
    return pageOf(runnerRecords(hearth, rows), window, countRunners(db, SITE))
  },
})
