/** Pushing, mounting and pulling layers. */
import { actorId } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { fileResponse } from '../../door/door-response.ts'
import { linkImageBlob } from '../../images/link-image-blob.ts'
import { openImageBlob } from '../../images/open-image-blob.ts'
import { removeImageContent } from '../../images/remove-image-content.ts'
import { listPackagesWithBlob, type ImageBlobRow } from '../../images/store-images.ts'
import { isDigest } from './names.ts'
import { imageUploads, type Upload } from './uploads.ts'

const API_VERSION = { 'docker-distribution-api-version': 'registry/2.0' }

export const pathTo = ({ workspace }: DoorRequest, name: string, rest: string): string =>
  `/v2/${workspace}/${name}/${rest}`

const targetOf = ({ workspace }: DoorRequest, name: string): string => `${workspace}/${name}`

export function requireDigest(text: string | null): string {
  if (text !== null && isDigest(text)) return text
  throw new Refusal('bad_request', 'a digest is sha256:<64 hex digits> or sha512:<128>', {
    reason: 'DIGEST_INVALID',
  })
}

const createdBlob = (door: DoorRequest, name: string, digest: string): Response =>
  new Response(null, {
    status: 201,
    headers: {
      ...API_VERSION,
      location: pathTo(door, name, `blobs/${digest}`),
      'docker-content-digest': digest,
    },
  })

const uploadResponse = (
  door: DoorRequest,
  name: string,
  upload: Upload,
  status: 202 | 204 | 416,
): Response =>
  new Response(null, {
    status,
    headers: {
      ...API_VERSION,
      location: pathTo(door, name, `blobs/uploads/${upload.id}`),
      range: `0-${Math.max(0, upload.size - 1)}`,
      'docker-upload-uuid': upload.id,
    },
  })

async function finishUpload(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  upload: Upload,
  digest: string,
): Promise<Response> {
  const { sha256, size } = await imageUploads(hearth).finish(upload, digest)
  await door.call(linkImageBlob, name, { digest, sha256, size_in_bytes: size })
  return createdBlob(door, name, digest)
}

/** A layer that the caller may read elsewhere; null for none. */
async function findMountable(
  hearth: Hearth,
  door: DoorRequest,
  digest: string,
  from: string | null,
): Promise<ImageBlobRow | null> {
  const here = hearth.facts.workspace(door.workspace, door.caller)
  const [, slug, name] = /^([^/]+)\/(.+)$/.exec(from ?? '') ?? []
  const places =
    from === null
      ? listPackagesWithBlob(hearth.db, here?.id ?? '', digest).map((row) => ({
          workspace: door.workspace,
          name: row.name,
        }))
      : slug === undefined || name === undefined
        ? []
        : [{ workspace: slug, name }]
  for (const { workspace, name: package_name } of places) {
    const target = { workspace, package_type: 'container' as const, package_name, digest }
    try {
      return await door.callOther(openImageBlob, target)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return null
}

const maxBytesOf = ({ settings }: Hearth): number => settings.packages.max_layer_bytes

async function append(hearth: Hearth, door: DoorRequest, upload: Upload): Promise<void> {
  const maxBytes = maxBytesOf(hearth)
  await imageUploads(hearth).append(upload, door.stream(maxBytes), maxBytes, door.signal)
}

/** `POST …/blobs/uploads/`: begins an upload, or mounts a layer, or takes one as a whole. */
export async function beginUpload(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
): Promise<Response> {
  door.authorize(linkImageBlob, name)
  const mount = door.query.get('mount')
  if (mount !== null && isDigest(mount)) {
    const blob = await findMountable(hearth, door, mount, door.query.get('from'))
    if (blob !== null) {
      const { digest, sha256, size_in_bytes } = blob
      await door.call(linkImageBlob, name, { digest, sha256, size_in_bytes })
      return createdBlob(door, name, digest)
    }
  }
  const whole = door.query.get('digest')
  const digest = whole === null ? null : requireDigest(whole)
  const upload = imageUploads(hearth).begin(actorId(door.caller) ?? '', targetOf(door, name))
  if (digest === null) return uploadResponse(door, name, upload, 202)
  await append(hearth, door, upload)
  return finishUpload(hearth, door, name, upload, digest)
}

/** Whether a piece begins where the upload stands. A piece without a range does. */
function fits(door: DoorRequest, upload: Upload): boolean {
  const range = /^(?:bytes )?(\d{1,15})-\d{1,15}/.exec(door.headers.get('content-range') ?? '')
  return range === null || Number(range[1]) === upload.size
}

/** `…/blobs/uploads/<id>`: goes on with, ends, looks at and gives up an upload. */
export async function handleUpload(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  id: string,
): Promise<Response> {
  const uploads = imageUploads(hearth)
  const caller_id = actorId(door.caller)
  if (caller_id === null) door.authorize(linkImageBlob, name)
  // First, because access tells whoever may create packages that a name is taken.
  const upload = uploads.find(id, caller_id ?? '', targetOf(door, name))
  door.authorize(linkImageBlob, name)
  switch (door.method) {
    case 'GET':
      return uploadResponse(door, name, upload, 204)
    case 'DELETE':
      uploads.remove(upload)
      return new Response(null, { status: 204, headers: API_VERSION })
    case 'PATCH':
      if (!fits(door, upload)) return uploadResponse(door, name, upload, 416)
      await append(hearth, door, upload)
      return uploadResponse(door, name, upload, 202)
    case 'PUT': {
      const digest = requireDigest(door.query.get('digest'))
      if (!fits(door, upload)) return uploadResponse(door, name, upload, 416)
      await append(hearth, door, upload)
      return finishUpload(hearth, door, name, upload, digest)
    }
  }
  throw new Refusal('method_not_allowed', `${door.method} is not possible here`, {
    reason: 'UNSUPPORTED',
  })
}

/** `…/blobs/<digest>`. */
export async function handleBlob(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  text: string,
): Promise<Response> {
  const digest = requireDigest(text)
  if (door.method === 'DELETE') {
    await door.call(removeImageContent, name, { kind: 'blob', reference: digest })
    return new Response(null, { status: 202, headers: API_VERSION })
  }
  if (door.method !== 'GET')
    throw new Refusal('method_not_allowed', `${door.method} is not possible here`, {
      reason: 'UNSUPPORTED',
    })
  const { sha256, size_in_bytes } = await door.call(openImageBlob, name, { digest })
  const file = { sha256, size_in_bytes, content_type: 'application/octet-stream' }
  const headers = { ...API_VERSION, etag: `"${digest}"`, 'docker-content-digest': digest }
  return door.keep((request) => fileResponse(hearth, request, file, headers))
}
