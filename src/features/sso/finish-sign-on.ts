import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { NewSignIn, beginSignIn } from '#features/accounts/index.ts'
import { forbidden } from '#lib/errors.ts'
import { findOrCreateAccount } from './find-or-create-account.ts'
import { syncGroupMemberships } from './sync-group-memberships.ts'
import { exchangeCode, requireAttempt, requireProvider } from './oidc.ts'

export const finishSignOn = operation({
  name: 'finish_sign_on',
  summary:
    'Complete a sign-in through a provider, with what it sent back and what the browser kept. Answers with the sign-in, or none when an account was linked.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    provider: Type.String({ maxLength: 40 }),
    attempt: Type.String({ maxLength: 5000 }),
    query: Type.String({
      maxLength: 20_000,
      description: 'What stood behind the address of the callback.',
    }),
  }),
  output: Type.Object({ sign_in: Nullable(NewSignIn), next: Nullable(Type.String()) }),
  secretAnswer: true,

  handler: async ({ hearth, caller, origin, write }, input) => {
    const provider = requireProvider(hearth, input.provider)
    const attempt = requireAttempt(hearth, provider, input.attempt)
    const { link_to, next } = attempt
    if (link_to !== null && !(caller.kind === 'user' && caller.id === link_to))
      throw forbidden('role', 'sign in to the account that you began to link')
    const identity = await exchangeCode(hearth, provider, attempt, input.query)
    return write((tx) => {
      const user = findOrCreateAccount(tx, provider, identity, link_to)
      const sign_in = link_to === null ? beginSignIn(tx, user, { method: 'sso', origin }) : null
      syncGroupMemberships(tx, provider, user, identity.groups)
      return { sign_in, next }
    })
  },
})
