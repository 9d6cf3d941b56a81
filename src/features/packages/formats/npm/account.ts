/** Sign-in, whoami and the other addresses below `/-/` that are about nobody's package. */
import type { Hearth } from '#core/hearth.ts'
import type { Typed } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { callerOfSecret } from '../../door/door-caller.ts'
import { auditBulk, auditTree } from './audit.ts'
import { decodePart, type DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { registryUrl } from './documents.ts'

const MAX_BODY_BYTES = 64 * 1024
const POLL_SECONDS = '3'

type CreateDeviceCode = Typed<
  { client_name: string; scope: string },
  { device_code: string; verification_uri_complete: string }
>
type PollDeviceToken = Typed<{ device_code: string }, { status: string; token?: string }>

const usernameOf = ({ caller }: DoorRequest): string => {
  if (caller.kind === 'anonymous')
    throw new Refusal('unauthenticated', 'you are not signed in: run npm login')
  return caller.username
}

/** `npm login` opens our page of the device sign-in and asks until the person has decided. */
async function beginLogin(hearth: Hearth, door: DoorRequest): Promise<Response> {
  await door.bytes(MAX_BODY_BYTES)
  const create = hearth.operationsByName.get('create_device_code') as CreateDeviceCode | undefined
  if (!create)
    throw new Refusal('not_available', 'sign in with a token here: npm login --auth-type=legacy')
  const { device_code, verification_uri_complete } = await door.callOther(create, {
    client_name: 'npm',
    scope: 'packages:admin',
  })
  const registry = registryUrl(hearth.settings.site_url, door.workspace)
  return jsonResponse({
    loginUrl: verification_uri_complete,
    doneUrl: `${registry}-/v1/done/${encodeURIComponent(device_code)}`,
  })
}

async function pollLogin(hearth: Hearth, door: DoorRequest, code: string): Promise<Response> {
  const poll = hearth.operationsByName.get('poll_device_token') as PollDeviceToken | undefined
  if (!poll) throw new Refusal('not_found', 'there is no such sign-in')
  const { status, token } = await door.callOther(poll, { device_code: code })
  if (status === 'pending') return jsonResponse({}, 202, { 'retry-after': POLL_SECONDS })
  if (token === undefined)
    throw new Refusal('forbidden', 'the sign-in was denied or has ended: run npm login again')
  return jsonResponse({ token })
}

/** `npm login --auth-type=legacy` and `npm adduser`: the password is a token. */
async function passwordLogin(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const body = await door.json(MAX_BODY_BYTES)
  const { password } = (typeof body === 'object' && body !== null ? body : {}) as {
    password?: unknown
  }
  if (typeof password !== 'string') throw new Refusal('bad_request', 'a token is the password')
  const caller = callerOfSecret(hearth, password)
  const name = caller.kind === 'anonymous' ? '' : caller.username
  return jsonResponse({ ok: true, id: `org.couchdb.user:${name}`, rev: '1', token: password }, 201)
}

const USER_PREFIX = '-/user/org.couchdb.user:'
const DONE_PREFIX = '-/v1/done/'

/** Null for an address that is none of these. */
export function handleAccount(
  hearth: Hearth,
  door: DoorRequest,
): Promise<Response> | Response | null {
  const { method, rest } = door
  const route = `${method} ${rest}`
  switch (route) {
    case 'GET -/ping':
      return jsonResponse({})
    case 'GET -/whoami':
      return jsonResponse({ username: usernameOf(door) })
    case 'GET -/npm/v1/user':
      return jsonResponse({ tfa: false, name: usernameOf(door), email: '' })
    case 'POST -/v1/login':
      return beginLogin(hearth, door)
    case 'POST -/npm/v1/security/advisories/bulk':
      return auditBulk(hearth, door)
    case 'POST -/npm/v1/security/audits':
    case 'POST -/npm/v1/security/audits/quick':
      return auditTree(hearth, door)
  }
  if (rest.startsWith(USER_PREFIX)) {
    if (method === 'PUT') return passwordLogin(hearth, door)
    const name = decodePart(rest.slice(USER_PREFIX.length))
    if (method === 'GET') return jsonResponse({ _id: `org.couchdb.user:${name}`, name, email: '' })
  }
  if (method === 'GET' && rest.startsWith(DONE_PREFIX))
    return pollLogin(hearth, door, decodePart(rest.slice(DONE_PREFIX.length)))
  return null
}
