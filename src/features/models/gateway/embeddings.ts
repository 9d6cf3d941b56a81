/** Embeddings, in the interface of OpenAI. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { openEmbeddingCall, readEmbeddings } from '../embedding-call.ts'
import { bad, type Json } from '../wires/json.ts'
import { payerOf } from './gateway-payer.ts'
import { readBody } from './serve.ts'

const MAX_INPUTS = 256

/** Throws 400. */
function requireInput({ input }: Json): void {
  const isText = typeof input === 'string'
  const isList =
    Array.isArray(input) &&
    input.length > 0 &&
    input.every((one) => typeof one === 'string' || typeof one === 'number' || Array.isArray(one))
  if (!isText && !isList) throw bad('input must be a text, texts or tokens')
  if (Array.isArray(input) && typeof input[0] !== 'number' && input.length > MAX_INPUTS)
    throw bad(`input has more than ${MAX_INPUTS} texts; send them in several requests`)
}

/** Throws Refusal, `ModelFailed` and `BadAnswer`. */
export async function serveEmbeddings(hearth: Hearth, http: ProtocolRequest): Promise<Response> {
  const who = payerOf(hearth, http)
  const { body } = await readBody(http)
  requireInput(body)
  http.keepOpen()
  const payer = { ...who, task: 'embed' as const }
  const call = await openEmbeddingCall(hearth, payer, body, http.request.signal)
  const { text } = await readEmbeddings(call, countInputs(body))
  return new Response(text, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

const countInputs = ({ input }: Json): number =>
  Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1
