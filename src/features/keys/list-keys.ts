import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { Keys } from './schema.ts'
import { keyRecord, listKeyRows } from './store.ts'

export const listKeys = operation({
  name: 'list_keys',
  summary: 'List the public SSH keys of your own account, the newest first. For people only.',
  keywords: ['my SSH keys', 'public keys'],
  route: 'GET /user/keys',
  toolset: 'access',
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({}),
  output: Keys,
  list: 'page',

  handler: ({ db, caller }) => ({ items: listKeyRows(db, caller.id).map(keyRecord), next: null }),
})
