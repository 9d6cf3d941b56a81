/** Embeddings of a provider, in the interface of OpenAI: the request, and its answer with its bill. */
import type { Hearth } from '#core/hearth.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import { Meter } from './bill.ts'
import { tokensOf } from './money.ts'
import { openModelCall, withoutKey, type OpenCall } from './open-call.ts'
import type { Payer } from './payer.ts'
import { bad, optionalNumber, pick, type Json } from './wires/json.ts'
import { BadAnswer } from './wires/sse.ts'

/** Values of one vector; models have up to 8,192. */
const MAX_VALUES = 16_384
/** Of one vector in base64, four bytes a value. */
const MAX_BASE64_CHARS = Math.ceil((MAX_VALUES * 4) / 3) * 4
const FORWARDED = ['input', 'encoding_format', 'dimensions']

/** Opens the call. Throws as `openModelCall`, and 400 for a model without embeddings. */
export const openEmbeddingCall = async (
  hearth: Hearth,
  payer: Payer,
  body: Json,
  signal: AbortSignal,
): Promise<OpenCall> =>
  await openModelCall(hearth, payer, {
    input: tokensOf(Buffer.byteLength(JSON.stringify(body.input))),
    wanted: 0,
    signal,
    build: ({ wire, model }) => {
      if (wire !== 'chat_completions')
        throw bad(`${model.id} has no embeddings; set another model for embed`)
      return {
        path: '/embeddings',
        body: JSON.stringify({ ...pick(body, FORWARDED), model: model.id }),
      }
    },
  })

/** Reads the answer for so many inputs, and settles the call. Throws `BadAnswer`. */
export async function readEmbeddings(
  call: OpenCall,
  inputs: number,
): Promise<{ text: string; answer: Json }> {
  const meter = new Meter()
  let isWhole = false
  try {
    const text = await new Response(call.body).text()
    const answer = parseAnswer(text, inputs)
    const { prompt_tokens, total_tokens } = objectOf(answer.usage)
    const input = optionalNumber(prompt_tokens) ?? optionalNumber(total_tokens)
    meter.add({ kind: 'usage', usage: { output: 0, ...(input === undefined ? {} : { input }) } })
    isWhole = true
    return { text: withoutKey(text, call.target.secret), answer }
  } finally {
    await call.end(meter, isWhole)
  }
}

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
