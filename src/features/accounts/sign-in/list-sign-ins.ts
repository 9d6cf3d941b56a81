import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { SignIns } from '../schema.ts'
import { listSignInRows } from '../store/sign-ins.ts'

export const listSignIns = operation({
  name: 'list_sign_ins',
  summary:
    'List the browsers in which you are signed in to the website, the last used first, with where and when each signed in. For people only.',
  keywords: ['where am I logged in', 'active logins', 'my devices', 'browser sessions'],
  route: 'GET /user/sessions',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({}),
  output: SignIns,
  list: 'page',

  handler: ({ db, caller, now }) => ({
    items: listSignInRows(db, caller.id, now).map(
      ({ id, method, ip, user_agent, created_at, last_used_at, expires_at }) => ({
        id,
        current: id === caller.sign_in,
        method,
        ip,
        user_agent,
        created_at,
        last_used_at,
        expires_at,
      }),
    ),
    next: null,
  }),
})
