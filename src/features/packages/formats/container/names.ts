/** Names, digests and tags of container images (OCI distribution specification 1.1). */
import { isDigest, isImageName, isImageTag } from '#lib/container-image.ts'
import { invalid } from '#lib/errors.ts'

export { isDigest, isImageName, isImageTag }

export function parseImageName(text: string): string {
  if (!isImageName(text))
    throw invalid(
      'name',
      `${text.slice(0, 100)} cannot be the name of an image: use lower-case letters and digits, with dots, underscores, hyphens and slashes between them`,
      { reason: 'NAME_INVALID' },
    )
  return text
}

export const digestOf = (bytes: Uint8Array, algorithm: 'sha256' | 'sha512'): string =>
  `${algorithm}:${new Bun.CryptoHasher(algorithm).update(bytes).digest('hex')}`
