/** Names of container images (OCI distribution specification 1.1). */

const MAX_NAME_LENGTH = 200
const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const NAME = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`)

export const isImageName = (text: string): boolean =>
  text.length <= MAX_NAME_LENGTH && NAME.test(text)

export const isDigest = (text: string): boolean =>
  /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(text)

export const isImageTag = (text: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(text)

/** What clients take as a manifest. */
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')
export const MAX_MANIFEST_BYTES = 4 * 1024 ** 2

/** Where Docker Hub has its images, which are named after `docker.io`. */
export const DOCKER_HUB = 'registry-1.docker.io'

/** With its registry. Names without one are those of Docker Hub, whatever a client is set to. */
export function qualifiedImage(image: string): string {
  const [first = '', ...rest] = image.split('/')
  if (rest.length === 0) return `docker.io/library/${image}`
  return /[.:]|^localhost$/.test(first) ? image : `docker.io/${image}`
}
