/** Errors of the gateway in the form that its client understands. */
import { diskFull, isDiskFullError } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { ModelFailed } from '../open-call.ts'
import { readProviderError } from '../provider-error.ts'
import type { ClientWire } from '../wires/client.ts'
import { BadAnswer } from '../wires/sse.ts'

/** Refusals of a provider that are about the request itself, such as one that is too long. */
const OF_THE_REQUEST = new Set([400, 413, 422])
const MAX_MESSAGE_CHARS = 2_000

type ErrorWriter = Pick<ClientWire, 'error'>

type ErrorText = {
  readonly status: number
  readonly message: string
  readonly reason: string | null
  readonly headers?: Readonly<Record<string, string>>
}

function describeFailure({ told, status, body }: ModelFailed): ErrorText {
  const said = readProviderError(body)
  if (status !== null && OF_THE_REQUEST.has(status) && said.message !== '')
    return { status, message: said.message, reason: said.code }
  // What a provider says of its key or its address is for the owners of the workspace.
  return {
    status: 502,
    message: `${told}: an owner of the workspace can test its connection under Settings, Integrations`,
    reason: 'model_failed',
    ...(status === null ? {} : { headers: { 'x-should-retry': 'false' } }),
  }
}

/** What a client is told of whatever its request has thrown. An error of this program is logged. */
export function describeError(hearth: Hearth, error: unknown): ErrorText {
  if (error instanceof Refusal) return error
  if (error instanceof ModelFailed) return describeFailure(error)
  if (error instanceof BadAnswer || error instanceof OutboundError)
    return { status: 502, message: error.message, reason: 'model_failed' }
  if (isDiskFullError(error)) return diskFull()
  hearth.log.error('a request of the model gateway failed', { error })
  return { status: 500, message: 'something went wrong here', reason: null }
}

/** The response for whatever a request has thrown. */
export function errorResponse(
  hearth: Hearth,
  { request }: Pick<ProtocolRequest, 'request'>,
  client: ErrorWriter,
  error: unknown,
): Response {
  if (request.signal.aborted && !(error instanceof Refusal))
    return new Response(null, { status: 499 })
  const { status, message, reason, headers = {} } = describeError(hearth, error)
  const isTemporary = status === 429 || status >= 500
  return Response.json(client.error(status, message.slice(0, MAX_MESSAGE_CHARS), reason), {
    status,
    headers: {
      ...headers,
      'cache-control': 'no-store',
      // Clients retry 409 too, and whatever they take for an overload.
      ...(isTemporary ? {} : { 'x-should-retry': 'false' }),
    },
  })
}
