/** Anthropic's messages: requests from chat completions, answers as events. */
import { dataOf, type ChatMessage, type ChatTool, type ModelEvent, type Usage } from './events.ts'

type MessagesUsage = {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
}

/** Anthropic counts cached input apart from `input_tokens`. A partial report has no input. */
export const usageOfMessages = (usage: MessagesUsage): Partial<Usage> => ({
  ...(usage.input_tokens === undefined
    ? {}
    : {
        input:
          usage.input_tokens +
          (usage.cache_read_input_tokens ?? 0) +
          (usage.cache_creation_input_tokens ?? 0),
        cached: usage.cache_read_input_tokens ?? 0,
      }),
  ...(usage.output_tokens === undefined ? {} : { output: usage.output_tokens }),
})

const REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

type MessagesEvent = {
  readonly type?: string
  readonly index?: number
  readonly message?: { readonly usage?: MessagesUsage }
  readonly usage?: MessagesUsage
  readonly content_block?: { readonly type?: string; readonly id?: string; readonly name?: string }
  readonly delta?: {
    readonly type?: string
    readonly text?: string
    readonly partial_json?: string
    readonly stop_reason?: string | null
  }
}

function* eventsOf({ type, index = 0, ...event }: MessagesEvent): Generator<ModelEvent> {
  const { content_block: block, delta } = event
  if (type === 'content_block_start' && block?.type === 'tool_use')
    yield { kind: 'call', index, id: block.id ?? `call_${index}`, name: block.name ?? '' }
  if (delta?.type === 'text_delta' && delta.text) yield { kind: 'text', text: delta.text }
  if (delta?.type === 'input_json_delta' && delta.partial_json)
    yield { kind: 'arguments', index, text: delta.partial_json }
  const usage = event.message?.usage ?? event.usage
  if (usage) yield { kind: 'usage', usage: usageOfMessages(usage) }
  if (delta?.stop_reason)
    yield { kind: 'end', reason: REASONS[delta.stop_reason] ?? delta.stop_reason }
}

export async function* readMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator<ModelEvent> {
  for await (const data of dataOf(body)) yield* eventsOf(data as MessagesEvent)
}

type Block = Readonly<Record<string, unknown>>
type Turn = { readonly role: 'user' | 'assistant'; readonly content: Block[] }

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const turnOf = (message: ChatMessage): Turn => {
  if (message.role === 'tool')
    return {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: message.tool_call_id, content: message.content },
      ],
    }
  if (message.role !== 'assistant')
    return { role: 'user', content: [{ type: 'text', text: message.content }] }
  const text = message.content === null || message.content === '' ? [] : [message.content]
  return {
    role: 'assistant',
    content: [
      ...text.map((one) => ({ type: 'text', text: one })),
      ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        type: 'tool_use',
        id,
        name,
        input: inputOf(input),
      })),
    ],
  }
}

export type ChatRequest = {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ChatTool[]
  readonly max_tokens: number
  readonly temperature?: number
}

/** The same request for the messages interface. Turns of one role in a row become one. */
export function chatToMessages(request: ChatRequest): Record<string, unknown> {
  const turns: Turn[] = []
  for (const message of request.messages) {
    if (message.role === 'system') continue
    const turn = turnOf(message)
    const last = turns.at(-1)
    if (last?.role === turn.role) last.content.push(...turn.content)
    else if (turn.content.length > 0) turns.push(turn)
  }
  const system = request.messages.flatMap(({ role, content }) =>
    role === 'system' && content ? [content] : [],
  )
  return {
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    messages: turns,
    ...(request.tools === undefined
      ? {}
      : {
          tools: request.tools.map(({ function: { name, description, parameters } }) => ({
            name,
            description,
            input_schema: parameters,
          })),
        }),
    max_tokens: request.max_tokens,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  }
}
