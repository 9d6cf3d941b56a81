/** Manifests, tags and referrers. */

import { Refusal } from '#lib/errors.ts'
import type { Hearth } from '#core/hearth.ts'
import { downloadCounts } from '../../download-counts.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { listImageReferrers } from '../../images/list-image-referrers.ts'
import { listImageTags } from '../../images/list-image-tags.ts'
import { openImageManifest } from '../../images/open-image-manifest.ts'
import { putImageManifest } from '../../images/put-image-manifest.ts'
import { removeImageContent } from '../../images/remove-image-content.ts'
import type { ReferrerRow } from '../../images/store-images.ts'
import { pathTo, requireDigest } from './blobs.ts'
import { MAX_MANIFEST_BYTES, parseManifest } from './manifest.ts'
import { isDigest, isImageTag } from './names.ts'
import { readPageSize } from './page-size.ts'

const MAX_TAGS_A_PAGE = 1000

function requireReference(text: string): string {
  if (isDigest(text) || isImageTag(text)) return text
  throw new Refusal('bad_request', `${text.slice(0, 100)} is neither a tag nor a digest`, {
    reason: 'MANIFEST_INVALID',
  })
}

async function putManifest(door: DoorRequest, name: string, reference: string): Promise<Response> {
  door.authorize(putImageManifest, name)
  const bytes = await door.bytes(MAX_MANIFEST_BYTES)
  const manifest = parseManifest(bytes, door.headers.get('content-type'), reference)
  const asked = door.query.getAll('tag')
  for (const tag of asked) if (!isImageTag(tag)) requireReference('')
  const tags = isDigest(reference) ? asked : [reference]
  await door.call(putImageManifest, name, { manifest, tags })
  const headers = new Headers({
    location: pathTo(door, name, `manifests/${manifest.digest}`),
    'docker-content-digest': manifest.digest,
  })
  if (manifest.subject !== null) headers.set('oci-subject', manifest.subject)
  for (const tag of isDigest(reference) ? asked : []) headers.append('oci-tag', tag)
  return new Response(null, { status: 201, headers })
}

/** A manifest as it was sent, byte for byte, in the type that it was sent with. */
async function getManifest(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  reference: string,
): Promise<Response> {
  const manifest = await door.call(openImageManifest, name, { reference })
  const { bytes, digest, media_type, package_id, version_id } = manifest
  const etag = `"${digest}"`
  const headers = {
    'content-type': media_type,
    'docker-content-digest': digest,
    etag,
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  }
  return door.keep((request) => {
    if (request.isFromStart && version_id !== null)
      downloadCounts(hearth).add(package_id, version_id)
    return request.headers.get('if-none-match') === etag
      ? new Response(null, { status: 304, headers })
      : new Response(bytes as Uint8Array<ArrayBuffer>, { headers })
  }, bytes.length)
}

/** `…/manifests/<tag or digest>`. */
export async function handleManifest(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  text: string,
): Promise<Response> {
  const reference = requireReference(text)
  if (door.method === 'GET') return getManifest(hearth, door, name, reference)
  if (door.method === 'PUT') return putManifest(door, name, reference)
  if (door.method !== 'DELETE')
    throw new Refusal('method_not_allowed', `${door.method} is not possible here`, {
      reason: 'UNSUPPORTED',
    })
  const kind = isDigest(reference) ? 'manifest' : 'tag'
  await door.call(removeImageContent, name, { kind, reference })
  return new Response(null, { status: 202 })
}

/** `…/tags/list?n=&last=`. */
export async function listTags(door: DoorRequest, name: string): Promise<Response> {
  const n = readPageSize(door, { usual: MAX_TAGS_A_PAGE, max: MAX_TAGS_A_PAGE })
  const last = (door.query.get('last') ?? '').slice(0, 200)
  const { tags, more } = await door.call(listImageTags, name, { last, n })
  const next = new URLSearchParams({ n: String(n), last: tags.at(-1) ?? '' })
  return jsonResponse(
    { name: `${door.workspace}/${name}`, tags },
    200,
    more ? { link: `<${pathTo(door, name, `tags/list?${next}`)}>; rel="next"` } : {},
  )
}

/** A caller with a token gets an empty list where there is nothing for them to see. */
async function findReferrers(
  door: DoorRequest,
  name: string,
  digest: string,
  artifact_type: string | null,
): Promise<readonly ReferrerRow[]> {
  try {
    return (await door.call(listImageReferrers, name, { digest, artifact_type })).manifests
  } catch (error) {
    const isMissing = error instanceof Refusal && error.code === 'not_found'
    if (!isMissing) throw error
    if (door.caller.kind !== 'anonymous') return []
    // 404 is no answer of this address, so strangers are asked for a token.
    throw new Refusal('unauthenticated', 'sign in with a token as the password')
  }
}

/** `…/referrers/<digest>?artifactType=`: always an index, also for an unknown digest or image. */
export async function listReferrers(
  door: DoorRequest,
  name: string,
  text: string,
): Promise<Response> {
  const digest = requireDigest(text)
  const artifact_type = door.query.get('artifactType')?.slice(0, 300) ?? null
  const manifests = await findReferrers(door, name, digest, artifact_type)
  return jsonResponse(
    {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: manifests.map((manifest) => ({
        mediaType: manifest.media_type,
        digest: manifest.digest,
        size: manifest.manifest_bytes,
        ...(manifest.artifact_type !== null && { artifactType: manifest.artifact_type }),
        ...(manifest.annotations !== null && { annotations: JSON.parse(manifest.annotations) }),
      })),
    },
    200,
    {
      'content-type': 'application/vnd.oci.image.index.v1+json',
      ...(artifact_type !== null && { 'oci-filters-applied': 'artifactType' }),
    },
  )
}
