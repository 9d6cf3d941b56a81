import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, Refusal } from '#lib/errors.ts'
import { parseSshLine, SshFormatError, type SshKey } from '#lib/ssh-key.ts'
import { typeId } from '#core/ids.ts'
import { requireUserRow, sendSecurityNotice } from '#features/accounts/index.ts'
import { signingKeysChanged } from '#features/repos/index.ts'
import { Key, KeyUsage } from './schema.ts'
import { findKeyByFingerprint, insertKey, keyRecord, listKeyRows, type KeyRow } from './store.ts'

const MAX_KEYS = 50

function readKey(line: string): SshKey {
  try {
    return parseSshLine(line).key
  } catch (error) {
    if (error instanceof SshFormatError)
      throw new Refusal('invalid', `key is no public SSH key: ${error.message}`, { field: 'key' })
    throw error
  }
}

export const addKey = operation({
  name: 'add_key',
  summary:
    'Add a public SSH key to your own account, so that commits and tags signed with it are shown as verified. For people only.',
  keywords: ['SSH key', 'add a public key', 'verified commits', 'signing key', 'deploy key'],
  route: 'POST /user/keys',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({
    title: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'What the key is called, such as the machine that it is on.',
    }),
    key: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'The line of the .pub file.',
    }),
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
      if (findKeyByFingerprint(tx.db, fingerprint))
        throw new Refusal('conflict', `${fingerprint} is a key of an account already`, {
          reason: 'already_exists',
          field: 'key',
        })
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
