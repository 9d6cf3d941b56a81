/** OpenAI's chat completions: answers as events. */
import type { ModelEvent, Usage } from './events.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import { listOf, optionalNumber, textOf, type Json } from './json.ts'

export function usageOfChat(usage: Json): Partial<Usage> {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage
  return {
    input: optionalNumber(prompt_tokens) ?? 0,
    output: optionalNumber(completion_tokens) ?? 0,
    cached: optionalNumber(objectOf(prompt_tokens_details).cached_tokens) ?? 0,
  }
}

/** Some servers send the arguments as an object. */
const argumentsOf = (value: unknown): string =>
  isObject(value) ? JSON.stringify(value) : textOf(value)

/** The events of one chunk of a stream, or of a whole answer. */
export function* eventsOfChunk({ choices, usage }: Json): Generator<ModelEvent> {
  const [choice = {}] = listOf(choices)
  const delta = objectOf(choice.delta ?? choice.message)
  const thinking = textOf(delta.reasoning_content)
  if (thinking !== '') yield { kind: 'thinking', text: thinking }
  const text = textOf(delta.content)
  if (text !== '') yield { kind: 'text', text }
  for (const [at, call] of listOf(delta.tool_calls).entries()) {
    const index = optionalNumber(call.index) ?? at
    const { name, arguments: input } = objectOf(call.function)
    const id = textOf(call.id)
    // Some servers repeat the name in every piece; only the first has an id.
    if (id !== '' && textOf(name) !== '') yield { kind: 'call', index, id, name: textOf(name) }
    const piece = argumentsOf(input)
    if (piece !== '') yield { kind: 'arguments', index, text: piece }
  }
  const reason = textOf(choice.finish_reason)
  if (reason !== '') yield { kind: 'end', reason }
  if (isObject(usage)) yield { kind: 'usage', usage: usageOfChat(usage) }
}
