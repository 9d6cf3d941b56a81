import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { applicationRecord } from './applications.ts'
import { Applications } from './schema.ts'
import { listApplicationRows } from './store.ts'

const SIZES = { size: 100, max: 100 }

export const listApplications = operation({
  name: 'list_applications',
  summary:
    'List the applications that you let into your own account, the last approved first, with what each may do. For people only.',
  keywords: ['connected apps', 'OAuth apps', 'third-party applications', 'which apps have access'],
  route: 'GET /user/applications',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({ ...byPage(SIZES) }),
  output: Applications,
  list: 'page',

  handler: ({ hearth, db, caller, now }, input) => {
    const window = windowOf(input, SIZES)
    const rows = listApplicationRows(db, caller.id, now, {
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map((row) => applicationRecord(hearth, row)),
      window,
    )
  },
})
