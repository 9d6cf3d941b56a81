/** Digests, secrets and comparisons. */

export const sha256 = (text: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex')

export const hmacSha256 = (key: string | Uint8Array, text: string | Uint8Array): Uint8Array =>
  new Bun.CryptoHasher('sha256', key).update(text).digest()

/** Compares in constant time for equal lengths. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!
  return difference === 0
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random letters and digits, each with the same probability. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

/**
 * Six base62 digits of the CRC-32 (ISO 3309) of a text. Secret scanners use it to tell tokens of
 * Hearth from other texts of that form.
 */
export function checksum62(text: string): string {
  let value = Bun.hash.crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = BASE62[value % 62] + digits
    value = Math.floor(value / 62)
  }
  return digits
}

/** Random bytes as unpadded base64url (RFC 4648 section 5). */
export const randomToken = (bytes = 32): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64url')
