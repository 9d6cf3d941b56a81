/** OpenAI's chat completions: answers as events. */
import { dataOf, type ModelEvent, type Usage } from './events.ts'

type Delta = {
  readonly content?: unknown
  readonly tool_calls?: readonly {
    readonly index?: number
    readonly id?: string
    readonly function?: { readonly name?: string; readonly arguments?: string }
  }[]
}
type Chunk = {
  readonly choices?: readonly {
    readonly delta?: Delta
    readonly message?: Delta
    readonly finish_reason?: string | null
  }[]
  readonly usage?: ChatUsage | null
}
type ChatUsage = {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null
}

export const usageOfChat = (usage: ChatUsage): Partial<Usage> => ({
  input: usage.prompt_tokens ?? 0,
  output: usage.completion_tokens ?? 0,
  cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
})

/** The events of one chunk of a stream, or of a whole answer. */
export function* eventsOfChunk({ choices, usage }: Chunk): Generator<ModelEvent> {
  const [choice] = choices ?? []
  const delta = choice?.delta ?? choice?.message
  if (typeof delta?.content === 'string' && delta.content !== '')
    yield { kind: 'text', text: delta.content }
  for (const [at, call] of (delta?.tool_calls ?? []).entries()) {
    const index = call.index ?? at
    // Some servers repeat the name in every piece; only the first has an id.
    if (call.id && call.function?.name)
      yield { kind: 'call', index, id: call.id, name: call.function.name }
    if (call.function?.arguments) yield { kind: 'arguments', index, text: call.function.arguments }
  }
  if (choice?.finish_reason) yield { kind: 'end', reason: choice.finish_reason }
  if (usage) yield { kind: 'usage', usage: usageOfChat(usage) }
}

export async function* readChat(body: AsyncIterable<Uint8Array>): AsyncGenerator<ModelEvent> {
  for await (const data of dataOf(body)) yield* eventsOfChunk(data as Chunk)
}
