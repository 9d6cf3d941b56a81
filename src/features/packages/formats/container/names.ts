/** Names, digests and tags of container images (OCI distribution specification 1.1). */
import { invalid } from '#lib/errors.ts'

const MAX_NAME_LENGTH = 200
const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const NAME = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`)

export const isImageName = (text: string): boolean =>
  text.length <= MAX_NAME_LENGTH && NAME.test(text)

export function parseImageName(text: string): string {
  if (!isImageName(text))
    throw invalid(
      'name',
      `${text.slice(0, 100)} cannot be the name of an image: use lower-case letters and digits, with dots, underscores, hyphens and slashes between them`,
      { reason: 'NAME_INVALID' },
    )
  return text
}

export const isDigest = (text: string): boolean =>
  /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(text)

export const isImageTag = (text: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(text)

export const digestOf = (bytes: Uint8Array, algorithm: 'sha256' | 'sha512'): string =>
  `${algorithm}:${new Bun.CryptoHasher(algorithm).update(bytes).digest('hex')}`
