/** The key that signs addresses of the image proxy, derived for them only. */
import { service } from '#core/service.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'

export const imageKey = service('image key', ({ settings }) =>
  Buffer.from(hmacSha256(installationKey(settings.data), 'image proxy')).toString('hex'),
)
