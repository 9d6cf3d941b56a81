/** Embeddings, in the interface of OpenAI. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { Meter } from '../bill.ts'
import { tokensOf } from '../money.ts'
import { openModelCall, withoutKey } from '../open-call.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import { bad, optionalNumber, pick, type Json } from '../wires/json.ts'
import { BadAnswer } from '../wires/sse.ts'
import { payerOf } from './gateway-payer.ts'
import { readBody } from './serve.ts'

const MAX_INPUTS = 256
/** Values of one vector; models have up to 8,192. */
const MAX_VALUES = 16_384
/** Of one vector in base64, four bytes a value. */
const MAX_BASE64_CHARS = Math.ceil((MAX_VALUES * 4) / 3) * 4
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
    const answer = parseAnswer(text, countInputs(body))
    const { prompt_tokens, total_tokens } = objectOf(answer.usage)
    const input = optionalNumber(prompt_tokens) ?? optionalNumber(total_tokens)
    meter.add({ kind: 'usage', usage: { output: 0, ...(input === undefined ? {} : { input }) } })
    isWhole = true
    return new Response(withoutKey(text, call.target.secret), {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    })
  } finally {
    await call.end(meter, isWhole)
  }
}

const countInputs = ({ input }: Json): number =>
  Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1

const isVector = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= MAX_BASE64_CHARS
    : Array.isArray(value) && value.length <= MAX_VALUES && value.every(Number.isFinite)

/** Throws `BadAnswer` unless it has one vector of a possible size for each input. */
function parseAnswer(text: string, inputs: number): Json {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new BadAnswer('the answer is not JSON')
  }
  if (!isObject(answer) || !Array.isArray(answer.data))
    throw new BadAnswer('the answer has no embeddings')
  if (answer.data.length !== inputs)
    throw new BadAnswer(`the answer has ${answer.data.length} embeddings for ${inputs} inputs`)
  if (!answer.data.every((one) => isVector(objectOf(one).embedding)))
    throw new BadAnswer(`an embedding is no vector of at most ${MAX_VALUES} numbers`)
  return answer
}
