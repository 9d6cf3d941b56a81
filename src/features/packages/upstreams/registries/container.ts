/** Registries of container images (OCI distribution specification 1.1), as Docker Hub is. */
import { DOCKER_HUB, MANIFEST_TYPES, MAX_MANIFEST_BYTES } from '#lib/container-image.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { decodePart } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { isDigest, isImageName, isImageTag } from '../../formats/container/names.ts'
import { parseObject } from '../../formats/json.ts'
import { UpstreamFailure } from '../fetch.ts'
import type { Located } from '../read-through.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import type { Cached, Source } from '../source.ts'
import type { UpstreamRow } from '../store.ts'
import { sendWithToken } from './container-token.ts'

const ADDRESS = /^(.+)\/(manifests|blobs|tags|referrers)\/([^/]+)$/

const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json'
const API_VERSION = { 'docker-distribution-api-version': 'registry/2.0' }
/** A page of tags is parsed on the event loop. */
const MAX_TAGS = 1000
const MAX_LIST_BYTES = 256 * 1024

/** The name that the upstream knows. Docker Hub has the images without a namespace in `library`. */
function remoteName({ url }: Pick<UpstreamRow, 'url'>, name: string): string {
  const { host, pathname } = new URL(url)
  if (host === DOCKER_HUB && !name.includes('/')) return `library/${name}`
  return [...pathname.split('/').filter((part) => part !== ''), name].join('/')
}

/** Where an image is. A path in the address of the upstream is what its names begin with. */
const urlOf = ({ upstream }: Source, name: string, rest: string): URL =>
  new URL(`/v2/${remoteName(upstream, name)}/${rest}`, upstream.url)

function located(source: Source, name: string, kind: string, digest: string): Located {
  const url = urlOf(source, name, `${kind}/${digest}`)
  const [algorithm, hex = ''] = digest.split(':')
  return algorithm === 'sha256' ? { url, sha256: hex } : { url, expected: { sha512: hex } }
}

const contentHeaders = (digest: string) => ({
  ...API_VERSION,
  etag: `"${digest}"`,
  'docker-content-digest': digest,
})

function sendContent(source: Source, cached: Cached | null, name: string, reference: string) {
  const digest = isDigest(reference) ? reference : `sha256:${cached?.row.sha256}`
  return source.answerFile(cached, name, contentHeaders(digest))
}

const readManifest = (name: string, reference: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const key = `${name}/manifests/${reference}`
    const common = { name, accept: MANIFEST_TYPES, maxBytes: MAX_MANIFEST_BYTES }
    const cached = isDigest(reference)
      ? await source.readFile({
          ...common,
          key,
          locate: () => located(source, name, 'manifests', reference),
        })
      : await source.readDocument({
          ...common,
          path: key,
          url: urlOf(source, name, `manifests/${reference}`),
        })
    return sendContent(source, cached, name, reference)
  },
})

const readBlob = (name: string, digest: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readFile({
      key: `${name}/blobs/${digest}`,
      name,
      maxBytes: source.hearth.settings.packages.max_layer_bytes,
      locate: () => located(source, name, 'blobs', digest),
    })
    return sendContent(source, cached, name, digest)
  },
})

const readTags = (name: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readDocument({
      path: `${name}/tags/list`,
      url: urlOf(source, name, `tags/list?n=${MAX_TAGS}`),
      name,
      accept: 'application/json',
      maxBytes: MAX_LIST_BYTES,
    })
    if (cached === null) throw source.missing(name)
    const tags = parseObject(await Bun.file(cached.path).text())?.tags
    if (tags !== null && !Array.isArray(tags))
      throw new UpstreamFailure('its list of tags cannot be read')
    return jsonResponse({ name: `${source.door.workspace}/${name}`, tags: tags ?? [] })
  },
})

/** Registries before version 1.1 have no list of referrers, which is the same as an empty one. */
const readReferrers = (name: string, digest: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readDocument({
      path: `${name}/referrers/${digest}`,
      url: urlOf(source, name, `referrers/${digest}`),
      name,
      accept: INDEX_TYPE,
      maxBytes: MAX_MANIFEST_BYTES,
    })
    if (cached !== null) return source.answerFile(cached, name)
    const none = { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [] }
    return jsonResponse(none, 200, { 'content-type': INDEX_TYPE })
  },
})

function parse(door: DoorRequest): UpstreamRead | null {
  const [, name = '', kind, last = ''] = ADDRESS.exec(door.rest) ?? []
  const reference = decodePart(last)
  if (!isImageName(name)) return null
  if (kind === 'tags') return reference === 'list' ? readTags(name) : null
  if (kind === 'manifests')
    return isDigest(reference) || isImageTag(reference) ? readManifest(name, reference) : null
  if (!isDigest(reference)) return null
  if (kind === 'referrers') return readReferrers(name, reference)
  // A client looks for a layer before it pushes it. One of an upstream is not here.
  return door.isHead ? null : readBlob(name, reference)
}

export const containerRegistry: Registry = { parse, send: sendWithToken }
