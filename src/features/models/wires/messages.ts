/** Anthropic's messages: requests from chat completions, answers as events. */
import type {
  ChatMessage,
  ChatRequest,
  ContentPart,
  ModelEvent,
  ToolChoice,
  Usage,
} from './events.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import { listOf, optionalNumber, textOf, type Json } from './json.ts'

/** Anthropic counts cached input apart from `input_tokens`. A partial report has no input. */
export function usageOfMessages(usage: Json): Partial<Usage> {
  const input = optionalNumber(usage.input_tokens)
  const output = optionalNumber(usage.output_tokens)
  const cached = optionalNumber(usage.cache_read_input_tokens) ?? 0
  const written = optionalNumber(usage.cache_creation_input_tokens) ?? 0
  return {
    ...(input === undefined ? {} : { input: input + cached + written, cached }),
    ...(output === undefined ? {} : { output }),
  }
}

const REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** The events of one event of a stream. */
export function* eventsOfMessages(event: Json): Generator<ModelEvent> {
  const index = optionalNumber(event.index) ?? 0
  const block = objectOf(event.content_block)
  const delta = objectOf(event.delta)
  if (event.type === 'content_block_start' && block.type === 'tool_use')
    yield { kind: 'call', index, id: textOf(block.id) || `call_${index}`, name: textOf(block.name) }
  const [text, thinking, input] = [delta.text, delta.thinking, delta.partial_json].map(textOf)
  if (delta.type === 'text_delta' && text) yield { kind: 'text', text }
  if (delta.type === 'thinking_delta' && thinking) yield { kind: 'thinking', text: thinking }
  if (delta.type === 'input_json_delta' && input) yield { kind: 'arguments', index, text: input }
  const usage = objectOf(event.message).usage ?? event.usage
  if (isObject(usage)) yield { kind: 'usage', usage: usageOfMessages(usage) }
  const reason = textOf(delta.stop_reason)
  if (reason !== '') yield { kind: 'end', reason: REASONS[reason] ?? reason }
}

type Block = Json
type Turn = { readonly role: 'user' | 'assistant'; readonly content: Block[] }

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const DATA_IMAGE = /^data:(image\/[a-z+.-]{1,40});base64,/

/** What a person or the program says, as blocks. */
const blocksOf = (content: string | readonly ContentPart[]): Block[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : content.map((part) => {
        if (part.type === 'text') return part
        const { url } = part.image_url
        const [head = '', media_type = ''] = DATA_IMAGE.exec(url) ?? []
        return {
          type: 'image',
          source: { type: 'base64', media_type, data: url.slice(head.length) },
        }
      })

const turnOf = (message: ChatMessage): Turn => {
  if (message.role === 'tool')
    return {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: message.tool_call_id, content: message.content },
      ],
    }
  if (message.role !== 'assistant') return { role: 'user', content: blocksOf(message.content) }
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

/** The parts of an answer that is no stream. */
export function* eventsOfMessage(message: Json): Generator<ModelEvent> {
  for (const [index, block] of listOf(message.content).entries()) {
    if (typeof block.text === 'string') yield { kind: 'text', text: block.text }
    if (typeof block.thinking === 'string') yield { kind: 'thinking', text: block.thinking }
    if (block.type === 'tool_use')
      yield { kind: 'arguments', index, text: JSON.stringify(block.input ?? {}) }
  }
  if (isObject(message.usage)) yield { kind: 'usage', usage: usageOfMessages(message.usage) }
}

function choiceOf(choice: ToolChoice, parallel: boolean | undefined): Record<string, unknown> {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (choice === 'none') return { type: 'none' }
  if (choice === 'auto') return { type: 'auto', ...alone }
  if (choice === 'required') return { type: 'any', ...alone }
  return { type: 'tool', name: choice.function.name, ...alone }
}

const toolsOf = ({ tools, tool_choice, parallel_tool_calls: parallel }: ChatRequest) =>
  tools === undefined || tools.length === 0
    ? {}
    : {
        tools: tools.map(({ function: { name, description, parameters } }) => ({
          name,
          description,
          input_schema: parameters,
        })),
        ...(tool_choice === undefined && parallel !== false
          ? {}
          : { tool_choice: choiceOf(tool_choice ?? 'auto', parallel) }),
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
    ...toolsOf(request),
    max_tokens: request.max_tokens,
    // The scale of OpenAI goes to 2.
    ...(request.temperature === undefined ? {} : { temperature: Math.min(1, request.temperature) }),
    ...(request.top_p === undefined ? {} : { top_p: request.top_p }),
    ...(request.stop === undefined ? {} : { stop_sequences: request.stop }),
  }
}
