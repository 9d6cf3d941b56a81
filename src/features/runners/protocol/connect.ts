/**
 * Unary calls of Connect over HTTP (https://connectrpc.com/docs/protocol): binary messages or JSON,
 * errors as JSON.
 */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest, ProtocolRoute } from '#core/protocol-routes.ts'
import { Refusal } from '#lib/errors.ts'
import { decode, encode, ProtobufError, type Type } from '#lib/protobuf.ts'

/** The names of errors, and the HTTP status that goes with each. */
const STATUS = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  already_exists: 409,
  resource_exhausted: 429,
  unimplemented: 501,
  internal: 500,
} as const

export class ConnectError extends Error {
  constructor(
    readonly code: keyof typeof STATUS,
    message: string,
  ) {
    super(message)
  }
}

/** Exactly this type: a runner shows no message of an error whose type names a charset. */
const JSON_TYPE = 'application/json'

const errorResponse = ({ code, message }: ConnectError): Response =>
  new Response(new TextEncoder().encode(JSON.stringify({ code, message })), {
    status: STATUS[code],
    headers: { 'content-type': JSON_TYPE },
  })

export type Call<Request, Response> = {
  readonly hearth: Hearth
  readonly http: ProtocolRequest
  readonly message: Request
  readonly __response?: Response
}

export type Method<Request, Response> = {
  /** `/api/actions/<service>/<method>`. */
  readonly path: string
  readonly request: Type<Request | null>
  readonly response: Type<Response | null>
  readonly maxBytes: number
  /** Runs before the body is read, so that strangers cannot have it parsed. Throws ConnectError. */
  readonly authorize?: (hearth: Hearth, http: ProtocolRequest) => Promise<unknown>
  /** Throws ConnectError. */
  readonly handle: (call: Call<Request, Response>) => Promise<Response> | Response
}

const isJson = ({ request }: ProtocolRequest): boolean =>
  (request.headers.get('content-type') ?? '').startsWith(JSON_TYPE)

/** Objects and lists of a JSON message, which are counted before it is parsed. */
const MAX_JSON_PARTS = 100_000
const BRACE = 0x7b
const BRACKET = 0x5b

function requireFewParts(body: Uint8Array): void {
  let parts = 0
  for (const byte of body) if (byte === BRACE || byte === BRACKET) parts++
  if (parts > MAX_JSON_PARTS)
    throw new ConnectError(
      'resource_exhausted',
      `the message has more than ${MAX_JSON_PARTS} parts`,
    )
}

async function readMessage<T>(
  http: ProtocolRequest,
  type: Type<T | null>,
  maxBytes: number,
): Promise<T> {
  const body = await http.bytes(maxBytes)
  try {
    if (!isJson(http)) return decode(type, body) as T
    requireFewParts(body)
    const text = new TextDecoder().decode(body)
    return type.fromJson(JSON.parse(text === '' ? '{}' : text)) as T
  } catch (error) {
    if (error instanceof ProtobufError || error instanceof SyntaxError)
      throw new ConnectError('invalid_argument', error.message)
    throw error
  }
}

function writeMessage<T>(http: ProtocolRequest, type: Type<T | null>, value: T): Response {
  const body = isJson(http)
    ? new TextEncoder().encode(JSON.stringify(type.toJson(value)))
    : encode(type, value as NonNullable<T>)
  return new Response(new Uint8Array(body), {
    headers: { 'content-type': isJson(http) ? JSON_TYPE : 'application/proto' },
  })
}

function asConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error
  if (!(error instanceof Refusal)) throw error
  const code = error.code === 'too_large' ? 'resource_exhausted' : 'invalid_argument'
  return new ConnectError(code, error.message)
}

/** The route of a method. */
export function connectRoute<Request, Response_>(
  method: Method<Request, Response_>,
): ProtocolRoute {
  return {
    path: method.path,
    handle: async (hearth, http) => {
      try {
        if (http.request.method !== 'POST')
          throw new ConnectError('unimplemented', 'this address takes POST only')
        await method.authorize?.(hearth, http)
        const message = await readMessage(http, method.request, method.maxBytes)
        const answer = await method.handle({ hearth, http, message })
        return writeMessage(http, method.response, answer)
      } catch (error) {
        return errorResponse(asConnectError(error))
      }
    },
  }
}
