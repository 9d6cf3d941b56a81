import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { requireUserRow, sendSecurityNotice } from '#features/accounts/index.ts'
import { signingKeysChanged } from '#features/repos/index.ts'
import { readKey, requireNewKey } from './read-key.ts'
import { Key, KeyLine, KeyTitle, KeyUsage } from './schema.ts'
import { insertKey, keyRecord, listKeyRows, type KeyRow } from './store.ts'

const MAX_KEYS = 50

export const addKey = operation({
  name: 'add_key',
  summary:
    'Add a public SSH key to your own account, with which you sign in to git over SSH, and commits and tags that it signs are shown as verified. For people only.',
  keywords: ['SSH key', 'add a public key', 'verified commits', 'signing key', 'deploy key'],
  route: 'POST /user/keys',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({
    title: KeyTitle,
    key: KeyLine,
    usage: Type.Optional(KeyUsage),
    read_only: Type.Optional(
      Type.Boolean({ description: 'Whether signing in with it only reads.' }),
    ),
  }),
  output: Key,
  status: 201,

  handler: (
    { caller, write },
    { title, key: line, usage = 'authentication_and_signing', read_only = false },
  ) => {
    const { algorithm, blob, fingerprint } = readKey(line)
    return write((tx) => {
      requireNewKey(tx.db, fingerprint)
      if (listKeyRows(tx.db, caller.id).length >= MAX_KEYS)
        throw conflict('limit_reached', `an account has at most ${MAX_KEYS} keys`, {
          limit: MAX_KEYS,
        })
      const row: KeyRow = {
        id: typeId('key', tx.now_ms),
        user_id: caller.id,
        title: title.trim(),
        usage,
        read_only: read_only ? 1 : 0,
        algorithm,
        key: Buffer.from(blob).toString('base64'),
        fingerprint,
        created_at: tx.now,
        last_used_at: null,
      }
      insertKey(tx.db, row)
      tx.emit(signingKeysChanged, {})
      tx.audit({
        action: 'key.added',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { after: { title: row.title, usage, fingerprint } },
      })
      sendSecurityNotice(tx, requireUserRow(tx.db, caller.id), 'An SSH key was added')
      return keyRecord(row)
    })
  },
})
