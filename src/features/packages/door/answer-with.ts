/**
 * Answers requests of the clients of registries. It finds the caller; the door of the format
 * answers, and its refusals go out in the words of its clients.
 */
import { anonymous } from '#core/caller.ts'
import { diskFull, isDiskFullError } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import { engineRefusal } from '#core/principal.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { readScope } from '#core/read-scope.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import type { FormatDoor } from './format-door.ts'
import type { PackageType } from '../schema.ts'
import { answerThroughUpstream } from '../upstreams/answer.ts'
import { asksStrangers } from '../upstreams/asks-strangers.ts'
import { callerOfSecret, secretOf } from './door-caller.ts'
import { DoorRequest } from './door-request.ts'
import { keptAnswers, keyOfAnswer } from './kept-answers.ts'

export type DoorAddress = {
  readonly workspace: string
  readonly type: PackageType
  readonly rest: string
}

const unauthenticated = (): Refusal =>
  new Refusal('unauthenticated', 'sign in with a token as the password')

/**
 * What strangers hear. Without a token the answer is the same for every name of a workspace and
 * type: 401 when there is a private package or an upstream, else 404. So it tells nothing about a
 * name. What a package that they may read does not have is 404.
 */
function refusalFor(
  hearth: Hearth,
  refusal: Refusal,
  request: DoorRequest,
  { workspace, type }: DoorAddress,
): Refusal {
  const isStranger = request.caller.kind === 'anonymous'
  if (!isStranger || refusal.code !== 'not_found' || request.isOfPublicPackage) return refusal
  const facts = hearth.facts.workspace(workspace, anonymous)
  return facts && asksStrangers(hearth.db, facts.id, type) ? unauthenticated() : refusal
}

export function renderFailure(
  hearth: Hearth,
  format: FormatDoor,
  request: DoorRequest,
  address: DoorAddress,
  error: unknown,
): Response {
  const known =
    error instanceof Refusal
      ? error
      : isDiskFullError(error)
        ? diskFull()
        : engineRefusal(hearth, error)
  if (known === null) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    hearth.log.error('a request of a registry failed', {
      type: format.type,
      path: request.rest,
      error,
    })
  }
  const refusal = refusalFor(
    hearth,
    known ?? new Refusal('internal', 'something went wrong here'),
    request,
    address,
  )
  const response = format.renderRefusal(refusal, request)
  for (const [name, value] of Object.entries(refusal.headers)) response.headers.set(name, value)
  if (refusal.status === 401)
    response.headers.set('www-authenticate', format.challenge(hearth.settings.site_url, request))
  return response
}

/** Reading under a former slug leads to the current one; writing is refused with the new address. */
function redirectToMoved(moved: Moved, request: ProtocolRequest): Response | null {
  if (request.request.method !== 'GET' && request.request.method !== 'HEAD') return null
  const path = request.path.replace(/^\/packages\/[^/]+/, `/packages/${moved.to}`)
  const location = request.query === '' ? path : `${path}?${request.query}`
  return new Response(null, { status: 308, headers: { location } })
}

async function answerAnew(
  hearth: Hearth,
  format: FormatDoor,
  address: DoorAddress,
  request: ProtocolRequest,
  key: string | null,
): Promise<Response> {
  const { workspace, type, rest } = address
  const version = keptAnswers(hearth).version()
  let door = new DoorRequest(hearth, request, workspace, type, rest, anonymous, null)
  try {
    const secret = secretOf(request.request.headers)
    const caller = readScope(hearth.db, () => callerOfSecret(hearth, secret))
    door = new DoorRequest(hearth, request, workspace, type, rest, caller, secret)
    const response = await answerThroughUpstream(hearth, door, async () =>
      format.handle(hearth, door),
    )
    if (key !== null && door.kept !== null) keptAnswers(hearth).set(key, version, door.kept)
    return response
  } catch (error) {
    const moved = error instanceof Moved ? redirectToMoved(error, request) : null
    return moved ?? renderFailure(hearth, format, door, address, error)
  }
}

/**
 * Answers a request with a format, in its words whatever happens. A kept answer needs no address,
 * which takes a query to find.
 */
export function answerWith(
  hearth: Hearth,
  format: FormatDoor,
  findAddress: () => DoorAddress,
  request: ProtocolRequest,
): Response | Promise<Response> {
  const key = keyOfAnswer(request)
  const kept = key === null ? null : keptAnswers(hearth).get(key)
  if (kept === null) return answerAnew(hearth, format, findAddress(), request, key)
  const response = kept.answer(
    new DoorRequest(hearth, request, '', format.type, '', anonymous, null),
  )
  // What fails here is answered in the words of the format.
  return response instanceof Promise
    ? response.catch(() => answerAnew(hearth, format, findAddress(), request, key))
    : response
}
