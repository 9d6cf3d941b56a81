import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { beginSignOn, requireProvider } from './oidc.ts'

/** The value travels in a cookie, and browsers limit a cookie to 4096 bytes. */
export const MAX_NEXT_LENGTH = 2400

export const startSignOn = operation({
  name: 'start_sign_on',
  summary:
    'Begin to sign in through a provider, or to link it to your own account. Answers with where the browser goes and what it keeps meanwhile.',
  route: null,
  access: publicRead(),
  input: Type.Object({
    provider: Type.String({ maxLength: 40 }),
    next: Type.Optional(Type.String({ maxLength: MAX_NEXT_LENGTH })),
    link: Type.Optional(Type.Boolean()),
  }),
  output: Type.Object({ url: Type.String(), attempt: Type.String() }),

  handler: ({ hearth, caller }, { provider, next, link = false }) => {
    if (link && (caller.kind !== 'user' || caller.token !== null))
      throw new Refusal('unauthenticated', 'sign in first, to link this to your account')
    return beginSignOn(hearth, requireProvider(hearth, provider), {
      next: next ?? null,
      link_to: link && caller.kind === 'user' ? caller.id : null,
    })
  },
})
