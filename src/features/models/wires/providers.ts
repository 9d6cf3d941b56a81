/** Requests and answers of model providers, whichever interface they speak. */
import type { Wire } from '#features/integrations/index.ts'
import type { Outgoing } from '../open-call.ts'
import type { Target } from '../targets.ts'
import { eventsOfChunk } from './chat.ts'
import type { ChatRequest, ModelEvent } from './events.ts'
import { isObject } from '#lib/json-value.ts'
import { chatToGenerate, generateReader } from './generate.ts'
import { textOf, type Json } from './json.ts'
import { chatToMessages, eventsOfMessages } from './messages.ts'
import { BadAnswer, dataOf } from './sse.ts'

/** Where an answer comes from. `stream` is in the address of one interface alone. */
export function pathOf({ wire, model }: Pick<Target, 'wire' | 'model'>, stream: boolean): string {
  if (wire === 'messages') return '/messages'
  if (wire === 'chat_completions') return '/chat/completions'
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return `/models/${encodeURIComponent(model.id)}:${method}`
}

/** The body of a request whose answer is a stream. */
function bodyFor({ wire, model }: Target, request: ChatRequest): Json {
  if (wire === 'generate_content') return chatToGenerate(request)
  if (wire === 'messages') return { ...chatToMessages(request), stream: true, model: model.id }
  return { ...request, stream: true, stream_options: { include_usage: true }, model: model.id }
}

/** The request for a provider. The answer is always a stream. */
export const outgoingFor = (target: Target, request: ChatRequest): Outgoing => ({
  path: pathOf(target, true),
  body: JSON.stringify(bodyFor(target, request)),
})

const readers: Readonly<Record<Wire, () => (data: Json) => Iterable<ModelEvent>>> = {
  chat_completions: () => eventsOfChunk,
  messages: () => eventsOfMessages,
  generate_content: generateReader,
}

/** Reads the pieces of data of one stream. Throws `BadAnswer` for an error in it. */
export function streamReader(wire: Wire): (data: Json) => Iterable<ModelEvent> {
  const read = readers[wire]()
  return (data) => {
    if (isObject(data.error))
      throw new BadAnswer(textOf(data.error.message).slice(0, 300) || 'the model failed')
    return read(data)
  }
}

/** The events of a stream. Throws `BadAnswer`. */
export async function* eventsFrom(
  body: AsyncIterable<Uint8Array>,
  wire: Wire,
): AsyncGenerator<ModelEvent> {
  const read = streamReader(wire)
  for await (const data of dataOf(body)) yield* read(data)
}
