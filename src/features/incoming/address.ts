/** The address of an incoming webhook: `/-/in/<integration>/<key>`. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import type { HookRow } from './store.ts'

export const INCOMING_PATH = '/-/in'

/** The key in the address is derived, so nothing in the database opens it. */
const addressKey = service('incoming address key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'addresses of incoming webhooks'),
)

type Addressed = Pick<HookRow, 'integration_id' | 'generation'>

const keyOf = (hearth: Hearth, { integration_id, generation }: Addressed): string =>
  Buffer.from(hmacSha256(addressKey(hearth), `${integration_id} ${generation}`)).toString(
    'base64url',
  )

export const addressOf = (hearth: Hearth, hook: Addressed): string =>
  `${hearth.settings.site_url}${INCOMING_PATH}/${hook.integration_id}/${keyOf(hearth, hook)}`

export const isKeyOf = (hearth: Hearth, hook: Addressed, key: string): boolean =>
  sameBytes(Buffer.from(key), Buffer.from(keyOf(hearth, hook)))
