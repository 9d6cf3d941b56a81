/** Embeddings, in the interface of OpenAI. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { Meter } from '../bill.ts'
import { tokensOf } from '../money.ts'
import { openModelCall, withoutSecret } from '../open-call.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import { bad, optionalNumber, pick, type Json } from '../wires/json.ts'
import { BadAnswer } from '../wires/sse.ts'
import { payerOf } from './gateway-payer.ts'
import { readBody } from './serve.ts'

const MAX_INPUTS = 256
const FORWARDED = ['input', 'encoding_format', 'dimensions']

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
  const call = await openModelCall(hearth, payer, {
    input: tokensOf(Buffer.byteLength(JSON.stringify(body.input))),
    wanted: 0,
    signal: http.request.signal,
    build: ({ wire, model }) => {
      if (wire !== 'chat_completions')
        throw bad(`${model.id} has no embeddings; set another model for embed`)
      return {
        path: '/embeddings',
        body: JSON.stringify({ ...pick(body, FORWARDED), model: model.id }),
      }
    },
  })
  const meter = new Meter()
  let isWhole = false
  try {
    const text = await new Response(call.body).text()
    const answer = parseAnswer(text)
    const { prompt_tokens, total_tokens } = objectOf(answer.usage)
    const input = optionalNumber(prompt_tokens) ?? optionalNumber(total_tokens)
    meter.add({ kind: 'usage', usage: { output: 0, ...(input === undefined ? {} : { input }) } })
    isWhole = true
    return new Response(withoutSecret(text, call.target.secret), {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    })
  } finally {
    await call.end(meter, isWhole)
  }
}

function parseAnswer(text: string): Json {
  try {
    const answer: unknown = JSON.parse(text)
    if (isObject(answer) && Array.isArray(answer.data)) return answer
  } catch {
    // Reported below.
  }
  throw new BadAnswer('the answer has no embeddings')
}
