/**
 * Container images at `/v2/<workspace>/<name>`, for docker, podman, crane, skopeo and others (OCI
 * distribution specification 1.1).
 */
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest, ProtocolRoute } from '#core/protocol-routes.ts'
import { Refusal } from '#lib/errors.ts'
import { answerWith, type DoorAddress, renderFailure } from '../../door/answer-with.ts'
import { callerOfSecret, secretOf } from '../../door/door-caller.ts'
import { decodePart, DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { listImageNames } from '../../images/list-image-names.ts'
import { beginUpload, handleBlob, handleUpload } from './blobs.ts'
import { handleManifest, listReferrers, listTags } from './manifests.ts'
import { isImageName, parseImageName } from './names.ts'
import { readPageSize } from './page-size.ts'
import { answerToken } from './token.ts'

const API_VERSION = { 'docker-distribution-api-version': 'registry/2.0' }

/** The last of these words divides the name of the image from what is asked of it. */
const ADDRESS =
  /^(.+)\/(blobs\/uploads\/?|blobs\/uploads\/[^/]+|blobs\/[^/]+|manifests\/[^/]+|tags\/list|referrers\/[^/]+)$/

const CODES: Readonly<Record<string, string>> = {
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'DENIED',
  too_large: 'SIZE_INVALID',
  rate_limited: 'TOOMANYREQUESTS',
  conflict: 'DENIED',
  method_not_allowed: 'UNSUPPORTED',
}

/** What is not there, by what was asked for. */
function missingCode(rest: string): string {
  if (/\/blobs\/uploads\//.test(rest)) return 'BLOB_UPLOAD_UNKNOWN'
  if (/\/blobs\/[^/]+$/.test(rest)) return 'BLOB_UNKNOWN'
  return /\/manifests\/[^/]+$/.test(rest) ? 'MANIFEST_UNKNOWN' : 'NAME_UNKNOWN'
}

type Missing = { readonly code: string; readonly digest: string }

function renderRefusal(refusal: Refusal, { rest }: DoorRequest): Response {
  const isCode = refusal.reason !== null && /^[A-Z_]+$/.test(refusal.reason)
  const code =
    (isCode ? refusal.reason : null) ??
    (refusal.code === 'not_found' ? missingCode(rest) : (CODES[refusal.code] ?? 'UNKNOWN'))
  const missing = (refusal.details.missing ?? []) as readonly Missing[]
  const errors =
    missing.length > 0
      ? missing.map((one) => ({
          code: one.code,
          message: refusal.message,
          detail: { digest: one.digest },
        }))
      : [{ code, message: refusal.message, detail: null }]
  // An invalid name is 400 in this protocol, 422 elsewhere.
  return jsonResponse({ errors }, refusal.status === 422 ? 400 : refusal.status, API_VERSION)
}

/** `docker login` shows the message; scopes are not needed, because tokens have their own. */
const challenge = (site_url: string): string =>
  `Bearer realm="${site_url}/v2/token",service="${new URL(site_url).host}"`

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const [, rawName = '', what = ''] = ADDRESS.exec(door.rest) ?? []
  const name = decodePart(rawName)
  if (what === '') throw new Refusal('not_found', 'this is not an address of this registry')
  if (!isImageName(name)) parseImageName(name)
  const [kind = '', first = '', second = ''] = what.split('/').map(decodePart)
  if (kind === 'tags') return listTags(door, name)
  if (kind === 'referrers') return listReferrers(door, name, first)
  if (kind === 'manifests') return handleManifest(hearth, door, name, first)
  if (first !== 'uploads') return handleBlob(hearth, door, name, first)
  if (second !== '') return handleUpload(hearth, door, name, second)
  if (door.method !== 'POST')
    throw new Refusal('method_not_allowed', `${door.method} is not possible here`, {
      reason: 'UNSUPPORTED',
    })
  return beginUpload(hearth, door, name)
}

export const containerDoor: FormatDoor = {
  type: 'container',
  handle,
  renderRefusal,
  challenge,
}

/** `/v2/` itself tells clients whether they are signed in, and how they sign in. */
function answerPing(hearth: Hearth, request: ProtocolRequest): Response {
  if (!request.request.headers.has('authorization'))
    throw new Refusal('unauthenticated', 'sign in with a token as the password')
  callerOfSecret(hearth, secretOf(request.request.headers))
  return jsonResponse({}, 200, API_VERSION)
}

/** Names of a page at most, and for a client that asks for no number. */
const MAX_NAMES_A_PAGE = 1000
const DEFAULT_NAMES_A_PAGE = 100

/** `GET /v2/_catalog?n=&last=`: the images that the caller sees. `podman search` reads it. */
async function listCatalog(hearth: Hearth, request: ProtocolRequest): Promise<Response> {
  const { headers, method } = request.request
  if (method !== 'GET' && method !== 'HEAD')
    throw new Refusal('method_not_allowed', `${method} is not possible here`, {
      reason: 'UNSUPPORTED',
    })
  // As at `/v2/`, or clients would list what strangers see.
  if (!headers.has('authorization'))
    throw new Refusal('unauthenticated', 'sign in with a token as the password')
  const caller = callerOfSecret(hearth, secretOf(headers))
  const door = new DoorRequest(hearth, request, '', 'container', '_catalog', caller, null)
  const asked = readPageSize(door, { usual: DEFAULT_NAMES_A_PAGE, max: MAX_NAMES_A_PAGE })
  const n = Math.max(1, asked)
  const last = (door.query.get('last') ?? '').slice(0, 400)
  const { names, next } = await door.callOther(listImageNames, { last, n })
  const query = new URLSearchParams({ n: String(n), last: next ?? '' })
  return jsonResponse({ repositories: names }, 200, {
    ...API_VERSION,
    ...(next !== null && { link: `</v2/_catalog?${query}>; rel="next"` }),
  })
}

function answerAddress(hearth: Hearth, request: ProtocolRequest): Response | Promise<Response> {
  switch (request.path.replace(/\/$/, '')) {
    case '/v2':
      return answerPing(hearth, request)
    case '/v2/token':
      return answerToken(hearth, request)
    case '/v2/_catalog':
      return listCatalog(hearth, request)
  }
  throw new Refusal('not_found', 'this is not an address of this registry')
}

async function answerRoot(hearth: Hearth, request: ProtocolRequest): Promise<Response> {
  const address = { workspace: '', type: 'container' as const, rest: '' }
  try {
    return await answerAddress(hearth, request)
  } catch (error) {
    const door = new DoorRequest(hearth, request, '', 'container', '', anonymous, null)
    return renderFailure(hearth, containerDoor, door, address, error)
  }
}

function handleRoute(hearth: Hearth, request: ProtocolRequest): Response | Promise<Response> {
  const [, slug, rest = ''] = /^\/v2\/([^/]+)\/(.+)$/.exec(request.path) ?? []
  if (slug === undefined || slug === 'token') return answerRoot(hearth, request)
  // Images are pushed under a former slug too, because clients do not follow a redirect there.
  const findAddress = (): DoorAddress => ({
    workspace: hearth.facts.workspace(decodePart(slug), anonymous)?.slug ?? slug,
    type: 'container',
    rest,
  })
  return answerWith(hearth, containerDoor, findAddress, request)
}

export const containerRoutes: readonly ProtocolRoute[] = ['/v2', '/v2/*'].map((path) => ({
  path,
  handle: handleRoute,
}))
