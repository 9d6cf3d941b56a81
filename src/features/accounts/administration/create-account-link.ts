import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Time, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import { createMailedLink, LINK_LIFETIME_MS } from '../mail/mailed-links.ts'
import { Username } from '../schema.ts'
import { requireSiteUser } from './site-users.ts'

/**
 * Where no mail is sent, an administrator hands the links on that would have been mailed. Where mail
 * is sent it is refused, so that a stolen sign-in of an administrator takes no accounts over.
 */
export const createAccountLink = operation({
  name: 'create_account_link',
  summary:
    'Create the link that confirms the address of an account or sets its password, for an administrator to hand on where the site sends no mail.',
  route: null,
  access: siteAdmin({ writes: true }),
  input: Type.Object({ username: Username, kind: OneOf(['confirm', 'reset']) }),
  output: Type.Object({ username: Type.String(), url: Type.String(), expires_at: Time }),

  handler: ({ hearth, write }, { username, kind }) =>
    write((tx) => {
      if (hearth.settings.mail !== null)
        throw conflict('not_available', 'this site sends mail: the link is mailed to the account')
      const row = requireSiteUser(tx.db, username)
      if (row.suspended_at !== null) throw conflict('not_available', `${row.username} is suspended`)
      if (kind === 'confirm' && row.verified_at !== null)
        throw conflict('not_open', `${row.email} is confirmed already`)
      const url = createMailedLink(tx, kind, row)
      tx.audit({
        action: 'user.link_created',
        target: { kind: 'user', id: row.id, name: row.username },
        data: { kind },
      })
      return {
        username: row.username,
        url,
        expires_at: timestamp(tx.now_ms + LINK_LIFETIME_MS[kind]),
      }
    }),
})
