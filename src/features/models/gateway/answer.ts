/** Answers of models on their way to a client of the gateway. */
import type { Wire } from '#features/integrations/index.ts'
import { findJsonExcess } from '#lib/parse-json.ts'
import type { Meter } from '../bill.ts'
import { withoutKey, type OpenCall } from '../open-call.ts'
import type { AnswerHead, ClientWire } from '../wires/client.ts'
import { asksUsage } from '../wires/chat-client.ts'
import { eventsOfChunk } from '../wires/chat.ts'
import { AnswerBuilder, type ModelEvent, type Usage } from '../wires/events.ts'
import { isObject } from '#lib/json-value.ts'
import type { Json } from '../wires/json.ts'
import { generateReader } from '../wires/generate.ts'
import { eventsOfMessage } from '../wires/messages.ts'
import { eventsFrom, streamReader } from '../wires/providers.ts'
import { BadAnswer, eventsOfStream } from '../wires/sse.ts'

/** A call whose answer is being written. */
export type Answering = {
  readonly call: OpenCall
  readonly client: ClientWire
  readonly head: AnswerHead
  readonly meter: Meter
  /** Tokens of the input, estimated. */
  readonly input: number
}

/** The usage that was asked for here and not by the client. */
const isUsageAlone = (data: Json): boolean =>
  isObject(data.usage) && Array.isArray(data.choices) && data.choices.length === 0

/** A stream of the interface that the client speaks, handed on as it comes. */
async function* passStream({ call, client, head, meter }: Answering): AsyncGenerator<string> {
  const { wire, secret } = call.target
  const read = streamReader(wire)
  const dropsUsage = client.passes === 'chat_completions' && !asksUsage(head.request)
  for await (const events of eventsOfStream(call.body)) {
    let text = ''
    for (const { raw, data } of events) {
      if (data !== null) {
        for (const event of read(data)) meter.add(event)
        if (dropsUsage && isUsageAlone(data)) continue
      }
      text += raw
    }
    if (text !== '') yield withoutKey(text, secret)
  }
}

async function* translateStream(answering: Answering): AsyncGenerator<string> {
  const { call, client, head, meter, input } = answering
  const { wire, secret } = call.target
  const read = streamReader(wire)
  const writer = client.writer(head, input)
  const begun = writer.begin()
  if (begun !== '') yield begun
  for await (const events of eventsOfStream(call.body)) {
    let text = ''
    for (const { data } of events)
      if (data !== null)
        for (const event of read(data)) {
          meter.add(event)
          text += writer.add(event)
        }
    if (text !== '') yield withoutKey(text, secret)
  }
  yield writer.end()
}

/** The answer as server-sent events. The call is settled when it ends, however that happens. */
export async function* streamAnswer(answering: Answering, passes: boolean): AsyncGenerator<string> {
  const { call, client, meter } = answering
  let isWhole = false
  try {
    yield* passes ? passStream(answering) : translateStream(answering)
    isWhole = true
  } catch (error) {
    yield client.errorEvent(withoutKey(messageOf(error), call.target.secret))
  } finally {
    await call.end(meter, isWhole)
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error
    ? `the answer of the model broke off: ${error.message}`
    : 'the model failed'

/** An answer of 16 MiB can hold millions of values, which no model writes. */
const ANSWER_LIMITS = { maxDepth: 100, maxValues: 1_000_000 }

async function readJson(body: ReadableStream<Uint8Array>): Promise<Json> {
  let value: unknown
  try {
    // The outbound client bounds its length.
    const bytes = await new Response(body).bytes()
    if (findJsonExcess(bytes, ANSWER_LIMITS) !== null)
      throw new BadAnswer('the answer has too many values')
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  if (!isObject(value)) throw new BadAnswer('the answer is not a JSON object')
  return value
}

const WHOLE: Readonly<Record<Wire, (answer: Json) => Iterable<ModelEvent>>> = {
  chat_completions: eventsOfChunk,
  messages: eventsOfMessage,
  generate_content: (answer) => generateReader()(answer),
}

/** An answer that is no stream, of the interface that the client speaks. */
async function passWhole({ call, meter }: Answering): Promise<string> {
  const answer = await readJson(call.body)
  const { wire, secret } = call.target
  const events = WHOLE[wire](answer)
  for (const event of events) meter.add(event)
  return withoutKey(JSON.stringify(answer), secret)
}

async function translateWhole(answering: Answering): Promise<string> {
  const { call, client, head, meter, input } = answering
  const { wire, secret } = call.target
  const builder = new AnswerBuilder()
  let usage: Usage = { input, cached: 0, output: 0 }
  for await (const event of eventsFrom(call.body, wire)) {
    meter.add(event)
    builder.add(event)
    if (event.kind === 'usage') usage = { ...usage, ...event.usage }
  }
  return withoutKey(JSON.stringify(client.whole(builder.build(), usage, head)), secret)
}

/** The answer as JSON. The call is settled when it ends, however that happens. */
export async function wholeAnswer(answering: Answering, passes: boolean): Promise<string> {
  let isWhole = false
  try {
    const text = await (passes ? passWhole(answering) : translateWhole(answering))
    isWhole = true
    return text
  } finally {
    await answering.call.end(answering.meter, isWhole)
  }
}
