/**
 * Addresses of the image proxy: `/-/images/<HMAC>/<address in hex>`. Only signed addresses are
 * fetched, so strangers cannot use the site as a proxy.
 */
import { hmacSha256, sameBytes } from './hash.ts'

/** Longer addresses are not fetched. */
export const MAX_IMAGE_ADDRESS_LENGTH = 2_000

const sign = (key: string, address: string): Uint8Array => hmacSha256(key, address)

/** The path for an http or https address; null for one that is too long. */
export const imageProxyPath = (key: string, address: string): string | null =>
  address.length > MAX_IMAGE_ADDRESS_LENGTH
    ? null
    : `/-/images/${Buffer.from(sign(key, address)).toString('hex')}/${Buffer.from(address).toString('hex')}`

/** The address of a path that was signed here; null for any other. */
export function readImageAddress(key: string, signature: string, hex: string): string | null {
  if (!/^[0-9a-f]{64}$/.test(signature)) return null
  if (!/^(?:[0-9a-f]{2})+$/.test(hex) || hex.length > MAX_IMAGE_ADDRESS_LENGTH * 6) return null
  const address = Buffer.from(hex, 'hex').toString()
  return sameBytes(sign(key, address), Buffer.from(signature, 'hex')) ? address : null
}
