/**
 * Calls of Twirp (https://twitchtv.github.io/twirp/docs/spec_v7.html) with the runtime token of a
 * job: binary messages or JSON, errors as JSON.
 */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest, ProtocolRoute } from '#core/protocol-routes.ts'
import { jobOfRequest, type RunningJob } from '#features/workflows/index.ts'
import { Refusal, type RefusalCode } from '#lib/errors.ts'
import { decode, encode, ProtobufError, type Type } from '#lib/protobuf.ts'

const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/protobuf'
/** Names and keys. Files go to addresses of their own. */
const MAX_MESSAGE_BYTES = 64 * 1024

/** The code and the HTTP status for each refusal. Clients repeat a call after 429, 500 and 503. */
const CODES: Readonly<Record<RefusalCode, readonly [code: string, status: number]>> = {
  bad_request: ['malformed', 400],
  unauthenticated: ['unauthenticated', 401],
  forbidden: ['permission_denied', 403],
  not_found: ['not_found', 404],
  method_not_allowed: ['bad_route', 404],
  conflict: ['already_exists', 409],
  gone: ['not_found', 404],
  too_large: ['invalid_argument', 400],
  unsupported_media_type: ['malformed', 400],
  invalid: ['invalid_argument', 400],
  rate_limited: ['resource_exhausted', 429],
  internal: ['internal', 500],
  not_available: ['unimplemented', 501],
  unavailable: ['unavailable', 503],
}

function errorResponse({ code, message, headers }: Refusal): Response {
  const [name, status] = CODES[code]
  return new Response(JSON.stringify({ code: name, msg: message }), {
    status,
    headers: { ...headers, 'content-type': JSON_TYPE },
  })
}

export type Call<Q> = {
  readonly hearth: Hearth
  readonly http: ProtocolRequest
  readonly job: RunningJob
  readonly message: Q
}

export type Method<Q, A> = {
  /** `ArtifactService/CreateArtifact` */
  readonly name: string
  readonly request: Type<Q | null>
  readonly response: Type<A | null>
  /** Throws a Refusal. */
  readonly handle: (call: Call<Q>) => Promise<A> | A
}

async function answer<Q, A>(
  hearth: Hearth,
  http: ProtocolRequest,
  { request, response, handle }: Method<Q, A>,
): Promise<Response> {
  if (http.request.method !== 'POST')
    throw new Refusal('method_not_allowed', 'this address takes POST only')
  // Before the body is read, so that strangers cannot have it parsed.
  const job = jobOfRequest(hearth, http.request)
  const type = http.request.headers.get('content-type') ?? ''
  const isJson = type.startsWith(JSON_TYPE)
  if (!isJson && !type.startsWith(PROTOBUF_TYPE))
    throw new Refusal('unsupported_media_type', `a message is ${JSON_TYPE} or ${PROTOBUF_TYPE}`)
  const body = await http.bytes(MAX_MESSAGE_BYTES)
  const message = (
    isJson ? request.fromJson(JSON.parse(Buffer.from(body).toString())) : decode(request, body)
  ) as Q
  const result = await handle({ hearth, http, job, message })
  const bytes = isJson
    ? Buffer.from(JSON.stringify(response.toJson(result)))
    : encode(response, result as NonNullable<A>)
  return new Response(new Uint8Array(bytes), {
    headers: { 'content-type': isJson ? JSON_TYPE : PROTOBUF_TYPE },
  })
}

/** The route of a method. */
export const twirpRoute = <Q, A>(method: Method<Q, A>): ProtocolRoute => ({
  path: `/twirp/github.actions.results.api.v1.${method.name}`,
  handle: async (hearth, http) => {
    try {
      return await answer(hearth, http, method)
    } catch (error) {
      if (error instanceof Refusal) return errorResponse(error)
      if (error instanceof ProtobufError || error instanceof SyntaxError)
        return errorResponse(new Refusal('bad_request', error.message))
      throw error
    }
  },
})
