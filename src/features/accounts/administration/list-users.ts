import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, Type } from '#core/schema.ts'
import { SiteUsers, USER_STATES } from '../schema.ts'
import { siteUser } from './site-users.ts'
import { countUserRows, listUserRows } from '../store/user-settings.ts'

export const listUsers = operation({
  name: 'list_users',
  summary:
    'List the accounts of this site, newest first, by text in name or address (q) and by state. For site administrators, people only.',
  keywords: ['all accounts', 'user directory', 'site users', 'admin user list'],
  route: 'GET /admin/users',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object({
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Text in the username, name or an address.' }),
    ),
    state: Type.Optional(OneOf(USER_STATES)),
    ...byPage(),
  }),
  output: SiteUsers,
  list: 'page',

  handler: ({ hearth, db }, { q, state, ...paging }) => {
    const window = windowOf(paging)
    return pageOf(
      listUserRows(db, { q, state }, window).map((row) => siteUser(hearth, row)),
      window,
      countUserRows(db, { q, state }),
    )
  },
})
