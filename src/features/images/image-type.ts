/** The media types that the image proxy passes on, by the first bytes of a file. */

const startsWith = (bytes: Uint8Array, text: string, at = 0): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    'latin1',
    at,
    at + text.length,
  ) === text

const SIGNATURES: readonly (readonly [type: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ['image/png', (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (bytes) => startsWith(bytes, '\xff\xd8\xff')],
  ['image/gif', (bytes) => startsWith(bytes, 'GIF8')],
  ['image/webp', (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)],
  ['image/avif', (bytes) => startsWith(bytes, 'ftypavi', 4)],
  ['image/x-icon', (bytes) => startsWith(bytes, '\0\0\x01\0')],
]

const SVG = 'image/svg+xml'
const SVG_START = /^\uFEFF?\s*(?:<\?xml|<!--|<!DOCTYPE svg|<svg)/i

/**
 * The type of an image; null for anything else. An SVG file must be declared as one, because its
 * bytes look like those of a page.
 */
export function imageTypeOf(bytes: Uint8Array, declared: string | undefined): string | null {
  const found = SIGNATURES.find(([, matches]) => matches(bytes))
  if (found) return found[0]
  const isSvg = declared?.split(';')[0]?.trim().toLowerCase() === SVG
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 512))
  return isSvg && SVG_START.test(start.toString('utf8')) ? SVG : null
}
