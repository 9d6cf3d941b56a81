import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { findUserById, issueToken } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { findDevice, setTokenReturned } from './store.ts'

const TOKEN_LIFETIME_MS = 365 * DAY

/**
 * The token is created when the tool fetches it, so its secret is never stored. It is returned
 * once.
 */
export const pollDeviceToken = operation({
  name: 'poll_device_token',
  summary:
    'Ask whether a device sign-in was approved. The first answer after that holds the token. Anyone with the device code may.',
  route: 'POST /v1/device/token',
  tool: false,
  access: publicWrite(),
  input: Type.Object({ device_code: Type.String({ minLength: 1, maxLength: 200 }) }),
  output: Type.Object({
    status: OneOf(['pending', 'approved', 'denied', 'expired']),
    token: Type.Optional(Type.String({ description: 'Given once.' })),
    username: Type.Optional(Type.String()),
    verified: Type.Optional(
      Type.Boolean({ description: "Whether the account's address is confirmed." }),
    ),
  }),
  secretAnswer: true,

  handler: ({ db, now, write }, { device_code }) => {
    const hash = sha256(device_code)
    const waiting = findDevice(db, hash)
    if (!waiting) throw notFound('this device code')
    if (waiting.expires_at <= now || waiting.state === 'returned')
      return { status: 'expired' as const }
    if (waiting.state !== 'approved') return { status: waiting.state }
    return write((tx) => {
      const row = findDevice(tx.db, hash)
      const user = row?.user_id ? findUserById(tx.db, row.user_id) : null
      if (row?.state !== 'approved' || !user) return { status: 'expired' as const }
      if (user.suspended_at !== null) return { status: 'denied' as const }
      const { secret } = issueToken(tx, {
        actor_id: user.id,
        kind: 'user',
        source: 'device',
        name: row.client_name,
        scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]),
        repos: null,
        workspace_id: null,
        role: null,
        expires_at: timestamp(tx.now_ms + TOKEN_LIFETIME_MS),
      })
      setTokenReturned(tx.db, hash)
      return {
        status: 'approved' as const,
        token: secret,
        username: user.username,
        verified: user.verified_at !== null,
      }
    })
  },
})
