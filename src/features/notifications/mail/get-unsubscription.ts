import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { unsubscribeText, requireUnsubscribeTarget } from './unsubscribe-links.ts'

export const getUnsubscription = operation({
  name: 'get_unsubscription',
  summary: 'What the link at the end of a mail would end, for the page that asks.',
  route: null,
  access: publicRead(),
  input: Type.Object({ token: Type.String({ maxLength: 2_000 }) }),
  output: Type.Object({ what: Type.String() }),

  handler: ({ hearth }, { token }) => ({
    what: unsubscribeText(hearth, requireUnsubscribeTarget(hearth, token)),
  }),
})
