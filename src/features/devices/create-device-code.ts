import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { SCOPES } from '#core/scopes.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { oneLine } from '#lib/one-line.ts'
import { MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { countDevices, insertDevice, isCodeTaken, removeEndedDevices } from './store.ts'
import { makeUserCode, shownCode } from './user-codes.ts'

const LIFE_MS = 15 * MINUTE
const INTERVAL_MS = 5 * SECOND
/** Requests that may wait at once: strangers make them, so there is an end to it. */
const MOST_WAITING = 100_000
const LONGEST_USER_AGENT = 400
/** It becomes the name of the token. */
const LONGEST_NAME = 64

/** How a tool without a browser of its own begins to sign somebody in (RFC 8628 section 3.1). */
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
      if (countDevices(tx.db) >= MOST_WAITING) {
        removeEndedDevices(tx.db, tx.now)
        if (countDevices(tx.db) >= MOST_WAITING)
          throw new Refusal(
            'unavailable',
            'too many sign-ins wait at this moment; try again in a few minutes',
          )
      }
      let code = makeUserCode()
      while (isCodeTaken(tx.db, code)) code = makeUserCode()
      insertDevice(tx.db, {
        device_hash: sha256(device_code),
        user_code: code,
        client_name: oneLine(client_name ?? '', LONGEST_NAME) || 'Unnamed device',
        scopes: scopes.length === 0 ? null : JSON.stringify(scopes),
        ip: origin.ip,
        user_agent: origin.user_agent?.slice(0, LONGEST_USER_AGENT) ?? null,
        state: 'pending',
        user_id: null,
        created_at: tx.now,
        expires_at: timestamp(tx.now_ms + LIFE_MS),
      })
      return code
    })
    const verification_uri = `${hearth.settings.site_url}/device`
    const shown = shownCode(user_code)
    return {
      device_code,
      user_code: shown,
      verification_uri,
      verification_uri_complete: `${verification_uri}?code=${shown}`,
      expires_in: LIFE_MS / 1000,
      interval: INTERVAL_MS / 1000,
    }
  },
})
