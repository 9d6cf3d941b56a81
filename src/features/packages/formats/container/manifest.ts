/** Manifests of container images (https://github.com/opencontainers/image-spec). */
import { isObject } from '#lib/json-value.ts'
import { Refusal } from '#lib/errors.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'
import { digestOf, isDigest } from './names.ts'

export { MAX_MANIFEST_BYTES } from '#lib/container-image.ts'
/** Each is looked for and written within one transaction. Images have at most 127 layers in practice. */
const MAX_DESCRIPTORS = 2_000
const MAX_DESCRIPTION_LENGTH = 1000

export type ImageManifest = {
  readonly digest: string
  readonly media_type: string
  /** As it was sent. */
  readonly bytes: Uint8Array
  /** Configuration and layers that the package must have. */
  readonly blobs: readonly { readonly digest: string; readonly size: number }[]
  /** Manifests of an index. */
  readonly children: readonly string[]
  readonly subject: string | null
  readonly artifact_type: string | null
  readonly annotations: Readonly<Record<string, string>> | null
  readonly description: string | null
  /** What records show. */
  readonly metadata: Readonly<Record<string, unknown>>
}

type Json = Readonly<Record<string, unknown>>

const invalidManifest = (why: string): Refusal =>
  new Refusal('bad_request', `the manifest is not valid: ${why}`, { reason: 'MANIFEST_INVALID' })

function parseDescriptor(value: unknown, what: string): Json & { digest: string } {
  if (!isObject(value) || typeof value.digest !== 'string' || !isDigest(value.digest))
    throw invalidManifest(`${what} has no digest`)
  return { ...value, digest: value.digest }
}

function descriptorsIn(document: Json, field: string): (Json & { digest: string })[] {
  const list = document[field]
  if (list === undefined) return []
  if (!Array.isArray(list) || list.length > MAX_DESCRIPTORS)
    throw invalidManifest(`${field} is not a list of at most ${MAX_DESCRIPTORS}`)
  return list.map((value) => parseDescriptor(value, `one of ${field}`))
}

/** Layers that clients get elsewhere are not pushed. */
const isForeign = ({ mediaType, urls }: Json): boolean =>
  (typeof mediaType === 'string' && /nondistributable|foreign/.test(mediaType)) ||
  (Array.isArray(urls) && urls.length > 0)

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

function annotationsOf({ annotations }: Json): Record<string, string> | null {
  if (!isObject(annotations)) return null
  return Object.fromEntries(
    Object.entries(annotations).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}

function parseDocument(bytes: Uint8Array): Json {
  const value = parseJsonOrNone(bytes)
  if (isObject(value)) return value
  throw invalidManifest('it is not a JSON object')
}

/** Reads a manifest that is sent with a type, under a digest or a tag. Throws 400. */
export function parseManifest(
  bytes: Uint8Array,
  contentType: string | null,
  reference: string,
): ImageManifest {
  const document = parseDocument(bytes)
  const media_type = contentType?.split(';')[0]?.trim() || textOf(document.mediaType)
  if (document.schemaVersion !== 2) throw invalidManifest('schemaVersion is not 2')
  if (!media_type || (document.mediaType !== undefined && document.mediaType !== media_type))
    throw invalidManifest('mediaType is not the Content-Type')
  if (document.manifests !== undefined && document.layers !== undefined)
    throw invalidManifest('it has both manifests and layers')
  const digest = digestOf(bytes, reference.startsWith('sha512:') ? 'sha512' : 'sha256')
  if (reference.includes(':') && reference !== digest)
    throw new Refusal('bad_request', `the manifest has the digest ${digest}`, {
      reason: 'DIGEST_INVALID',
    })
  const config = document.config === undefined ? null : parseDescriptor(document.config, 'config')
  const layers = descriptorsIn(document, 'layers')
  const children = descriptorsIn(document, 'manifests')
  const subject = document.subject == null ? null : parseDescriptor(document.subject, 'subject')
  const annotations = annotationsOf(document)
  const blobs = [...(config ? [config] : []), ...layers]
    .filter((descriptor) => !isForeign(descriptor))
    .map(({ digest, size }) => ({ digest, size: Number(size) || 0 }))
  return {
    digest,
    media_type,
    bytes,
    blobs,
    children: children.map((child) => child.digest),
    subject: subject?.digest ?? null,
    artifact_type: textOf(document.artifactType) ?? textOf(config?.mediaType),
    annotations,
    description:
      annotations?.['org.opencontainers.image.description']?.slice(0, MAX_DESCRIPTION_LENGTH) ??
      null,
    metadata: {
      media_type,
      ...(annotations && { annotations }),
      ...(children.length > 0
        ? { manifests: children.map(({ digest, platform }) => ({ digest, platform })) }
        : { layers: layers.map(({ digest, size }) => ({ digest, size })) }),
    },
  }
}
