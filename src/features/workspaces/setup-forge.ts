import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  EmailInput,
  NewSignIn,
  PasswordInput,
  readEmail,
  requireFreeName,
  requireGoodPassword,
  requireSetupSecret,
  SecretInput,
  createSignIn,
  UsernameInput,
} from '#features/accounts/index.ts'
import { passwords } from '#core/passwords.ts'
import { insertFirstAccount } from './first-account.ts'

export const setupForge = operation({
  name: 'setup_forge',
  summary:
    'Make the first account with the secret of the set-up link: a site administrator, with a workspace. Answers with the sign-in.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    code: SecretInput,
    username: UsernameInput,
    email: EmailInput,
    password: PasswordInput,
    workspace: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Slug of the first workspace; the username unless given.',
      }),
    ),
  }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, now, origin, write }, input) => {
    requireSetupSecret(db, input.code, now)
    const { username } = input
    const workspace = input.workspace || username
    const email = readEmail(input.email)
    requireFreeName(db, username, { field: 'username' })
    requireFreeName(db, workspace, { field: 'workspace' })
    requireGoodPassword(input.password, { username, email })
    const password_hash = await passwords(hearth).hash(input.password)
    return write((tx) => {
      requireSetupSecret(tx.db, input.code, tx.now)
      return createSignIn(
        tx,
        insertFirstAccount(tx, { username, email, password_hash, workspace }),
        {
          method: 'setup',
          origin,
        },
      )
    })
  },
})
