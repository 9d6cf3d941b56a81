import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import type { Settings } from '#core/settings.ts'
import {
  acceptInvite,
  EmailInput,
  isWithoutAccounts,
  PasswordInput,
  readEmail,
  requireFreeName,
  requireGoodPassword,
  requireInvite,
  setLocale,
  signUp,
  UsernameInput,
} from '#features/accounts/index.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { passwords } from '#core/passwords.ts'
import { addMember } from './members.ts'

/** Throws 501 when registration is closed, and 422 when it needs an invite and none is given. */
function requireOpen(settings: Settings, invite: string | undefined): void {
  if (settings.sign_up === 'closed')
    throw new Refusal('not_available', 'this site takes no new accounts')
  if (settings.sign_up === 'sso_only')
    throw new Refusal(
      'not_available',
      'accounts here are made by signing in through your organisation',
    )
  if (settings.sign_up === 'invite' && invite === undefined)
    throw invalid(
      'invite',
      'this site takes new accounts by invite: open the link that you were sent',
    )
}

/**
 * A new account is unconfirmed: it can sign in and read. An address that another account has
 * confirmed is accepted, and neither the response nor the account reveals it. The owner of the
 * address gets a mail instead of the link, so the new account can never confirm it.
 */
export const register = operation({
  name: 'register',
  summary:
    'Make an account on the website, as far as the site takes new ones. A link to confirm the address is mailed. The answer is empty.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    username: UsernameInput,
    email: EmailInput,
    password: PasswordInput,
    invite: Type.Optional(
      Type.String({ maxLength: 200, description: 'The code of a sign-up invite.' }),
    ),
    locale: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2,3}$',
        description: 'The language of the website and of mail; that of the browser unless given.',
      }),
    ),
  }),
  output: Nothing,

  handler: async ({ hearth, db, now, write }, { username, password, ...input }) => {
    const invite = input.invite || undefined
    requireOpen(hearth.settings, invite)
    if (isWithoutAccounts(db))
      throw new Refusal(
        'not_available',
        'this site is not set up yet: its first account is made with the set-up link',
      )
    const email = readEmail(input.email)
    if (invite !== undefined) requireInvite(db, invite, email, now)
    requireFreeName(db, username, { field: 'username' })
    requireGoodPassword(password, { username, email })
    const password_hash = await passwords(hearth).hash(password)
    return write((tx) => {
      const used = invite === undefined ? null : requireInvite(tx.db, invite, email, tx.now)
      const user = signUp(tx, {
        username,
        email,
        password_hash,
        verified: false,
        site_admin: false,
      })
      if (input.locale !== undefined) setLocale(tx, user.id, input.locale)
      if (used) {
        acceptInvite(tx, used, user.id)
        if (used.workspace_id !== null)
          addMember(tx, {
            workspace_id: used.workspace_id,
            user_id: user.id,
            role: 'member',
            invited_by: used.created_by,
          })
      }
      return null
    })
  },
})
