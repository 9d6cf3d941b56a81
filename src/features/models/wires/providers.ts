/** Requests and answers of model providers, whichever interface they speak. */
import type { Wire } from '#features/integrations/index.ts'
import type { Outgoing } from '../open-call.ts'
import type { Target } from '../targets.ts'
import { eventsOfChunk } from './chat.ts'
import type { ChatRequest, ModelEvent } from './events.ts'
import { isObject } from '#lib/json-value.ts'
import { textOf, type Json } from './json.ts'
import { chatToMessages, eventsOfMessages } from './messages.ts'
import { BadAnswer, dataOf } from './sse.ts'

export const pathOf = (wire: Wire): string =>
  wire === 'messages' ? '/messages' : '/chat/completions'

/** The request for a provider. The answer is always a stream. */
export function outgoingFor({ wire, model }: Target, request: ChatRequest): Outgoing {
  const asked =
    wire === 'messages'
      ? { ...chatToMessages(request), stream: true }
      : { ...request, stream: true, stream_options: { include_usage: true } }
  return { path: pathOf(wire), body: JSON.stringify({ ...asked, model: model.id }) }
}

/** The events of one piece of data of a stream. Throws `BadAnswer` for an error in it. */
export function eventsOfData(data: Json, wire: Wire): Iterable<ModelEvent> {
  if (isObject(data.error))
    throw new BadAnswer(textOf(data.error.message).slice(0, 300) || 'the model failed')
  return wire === 'messages' ? eventsOfMessages(data) : eventsOfChunk(data)
}

/** The events of a stream. Throws `BadAnswer`. */
export async function* eventsFrom(
  body: AsyncIterable<Uint8Array>,
  wire: Wire,
): AsyncGenerator<ModelEvent> {
  for await (const data of dataOf(body)) yield* eventsOfData(data, wire)
}
