import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { Tokens } from '../schema.ts'
import { listTokenRows } from '../store/tokens.ts'
import { tokenRecord } from './tokens.ts'

const SIZES = { size: 100, max: 100 }

export const listTokens = operation({
  name: 'list_tokens',
  summary:
    'List the tokens of your own account, newest first, with what each may do and when it was last used; never their secrets. For people only.',
  keywords: ['my access tokens', 'API keys', 'PATs'],
  route: 'GET /user/tokens',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({ ...byPage(SIZES) }),
  output: Tokens,
  list: 'page',

  handler: ({ hearth, db, caller }, input) => {
    const window = windowOf(input, SIZES)
    const rows = listTokenRows(db, caller.id, { limit: window.limit + 1, offset: window.offset })
    return pageOf(
      rows.map((row) => tokenRecord(hearth, row)),
      window,
    )
  },
})
