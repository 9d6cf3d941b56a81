import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { SCOPES } from '#core/scopes.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { oneLine } from '#lib/one-line.ts'
import { MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { countDevices, insertDevice, isCodeTaken, removeEndedDevices } from './store.ts'
import { createUserCode, formatUserCode } from './user-codes.ts'

const CODE_LIFETIME_MS = 15 * MINUTE
const POLL_INTERVAL_MS = 5 * SECOND
/** The maximum number of stored device codes. Anonymous callers create them. */
const MAX_DEVICE_CODES = 100_000
const MAX_USER_AGENT_LENGTH = 400
/** The client name becomes the name of the token. */
const MAX_NAME_LENGTH = 64

/** Starts a device sign-in for a tool without a browser (RFC 8628 section 3.1). */
export const createDeviceCode = operation({
  name: 'create_device_code',
  summary:
    'Begin a device sign-in. A person opens verification_uri_complete, signs in and approves; ask with device_code meanwhile. Anyone may.',
  route: 'POST /v1/device/code',
  tool: false,
  access: publicWrite(),
  input: Type.Object({
    client_name: Type.Optional(
      Type.String({ maxLength: 200, description: 'What is asking, as the person is shown it.' }),
    ),
    scope: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'Scopes separated by spaces; full rights when none is named.',
      }),
    ),
  }),
  output: Type.Object({
    device_code: Type.String({
      description: 'A secret: ask with it whether the person has decided.',
    }),
    user_code: Type.String({ description: 'What the person compares or types.' }),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String({ description: 'Carries the code.' }),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    interval: Type.Integer({ description: 'Seconds between two questions.' }),
  }),
  secretAnswer: true,

  handler: async ({ hearth, write, origin }, { client_name, scope }) => {
    const scopes = [...new Set((scope ?? '').split(' ').filter((name) => name !== ''))]
    const unknown = scopes.find((name) => !SCOPES.includes(name))
    if (unknown !== undefined) throw invalid('scope', `there is no scope ${unknown.slice(0, 60)}`)
    const device_code = randomToken()
    const user_code = await write((tx) => {
      if (countDevices(tx.db) >= MAX_DEVICE_CODES) {
        removeEndedDevices(tx.db, tx.now)
        if (countDevices(tx.db) >= MAX_DEVICE_CODES)
          throw new Refusal(
            'unavailable',
            'too many sign-ins wait at this moment; try again in a few minutes',
          )
      }
      let code = createUserCode()
      while (isCodeTaken(tx.db, code)) code = createUserCode()
      insertDevice(tx.db, {
        device_hash: sha256(device_code),
        user_code: code,
        client_name: oneLine(client_name ?? '', MAX_NAME_LENGTH) || 'Unnamed device',
        scopes: scopes.length === 0 ? null : JSON.stringify(scopes),
        ip: origin.ip,
        user_agent: origin.user_agent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
        state: 'pending',
        user_id: null,
        created_at: tx.now,
        expires_at: timestamp(tx.now_ms + CODE_LIFETIME_MS),
      })
      return code
    })
    const verification_uri = `${hearth.settings.site_url}/device`
    const formatted = formatUserCode(user_code)
    return {
      device_code,
      user_code: formatted,
      verification_uri,
      verification_uri_complete: `${verification_uri}?code=${formatted}`,
      expires_in: CODE_LIFETIME_MS / 1000,
      interval: POLL_INTERVAL_MS / 1000,
    }
  },
})
