/** Anthropic's messages as clients of the gateway speak them. */
import { newId, sse, type AnswerHead, type AnswerWriter, type ClientWire } from './client.ts'
import type { ChatMessage, ChatTool, ContentPart, ModelEvent, ToolChoice, Usage } from './events.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import {
  bad,
  defined,
  listOf,
  optionalCount,
  optionalNumber,
  pick,
  plainText,
  requireDataAddress,
  requireList,
  requireText,
  textOf,
  type Json,
} from './json.ts'
import { BadAnswer } from './sse.ts'

/** Everything else stays here: it costs more, or has the provider reach other services. */
const FORWARDED = [
  'messages',
  'system',
  'tool_choice',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'output_config',
  'output_format',
  'context_management',
  'cache_control',
  'stream',
]
const BLOCKS = new Set([
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
])
/** Tools that the client runs, although Anthropic defines them. */
const CLIENT_TOOL = /^(bash|text_editor|computer|memory)_\d{1,12}$/
const MIN_THINKING_TOKENS = 1024

/** Throws 400 for blocks that refer to files of the provider, or to other addresses. */
function requireOwnBlocks(content: unknown, name: string, depth = 0): void {
  if (typeof content === 'string' || content == null) return
  for (const [at, block] of requireList(content, name).entries()) {
    const type = textOf(block.type)
    const here = `${name}[${at}]`
    if (!BLOCKS.has(type)) throw bad(`${here}.type ${type} is not taken here`)
    const source = objectOf(block.source)
    if (source.type === 'url' || source.type === 'file')
      throw bad(`${here}.source must be in the request; other addresses are not fetched`)
    if (source.type === 'content') requireOwnBlocks(source.content, `${here}.source.content`, depth)
    if (type === 'tool_result' && depth === 0)
      requireOwnBlocks(block.content, `${here}.content`, depth + 1)
  }
}

const imageOf = (block: Json, name: string): ContentPart => {
  const { media_type, data } = objectOf(block.source)
  const url = `data:${requireText(media_type, `${name}.source.media_type`)};base64,${requireText(data, `${name}.source.data`)}`
  return { type: 'image_url', image_url: { url: requireDataAddress(url, name) } }
}

function refuseDocument(type: unknown, name: string): void {
  if (type === 'document')
    throw bad(`${name} is a document, which the model of this task does not take`)
}

/** What a person says, and the results of tools, which come first as chat completions have them. */
function userMessages(content: readonly Json[], name: string): ChatMessage[] {
  const results: ChatMessage[] = []
  const parts: ContentPart[] = []
  for (const [at, block] of content.entries()) {
    const here = `${name}[${at}]`
    refuseDocument(block.type, here)
    if (block.type === 'text') parts.push({ type: 'text', text: textOf(block.text) })
    if (block.type === 'image') parts.push(imageOf(block, here))
    if (block.type !== 'tool_result') continue
    const tool_call_id = requireText(block.tool_use_id, `${here}.tool_use_id`)
    results.push({ role: 'tool', tool_call_id, content: plainText(block.content) })
    for (const [order, inner] of listOf(block.content).entries()) {
      refuseDocument(inner.type, `${here}.content[${order}]`)
      if (inner.type === 'image') parts.push(imageOf(inner, `${here}.content[${order}]`))
    }
  }
  const onlyText = parts.every(({ type }) => type === 'text')
  const said = onlyText
    ? parts.map((part) => ('text' in part ? part.text : '')).join('\n\n')
    : parts
  return [...results, ...(parts.length === 0 ? [] : [{ role: 'user' as const, content: said }])]
}

function assistantMessage(content: readonly Json[], name: string): ChatMessage {
  const calls = content.flatMap((block, at) =>
    block.type === 'tool_use'
      ? [
          {
            id: requireText(block.id, `${name}[${at}].id`),
            type: 'function' as const,
            function: {
              name: requireText(block.name, `${name}[${at}].name`),
              arguments: JSON.stringify(block.input ?? {}),
            },
          },
        ]
      : [],
  )
  const text = plainText(content.filter(({ type }) => type === 'text'))
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function messagesOf(body: Json): ChatMessage[] {
  const system = plainText(body.system)
  const turns = requireList(body.messages, 'messages').flatMap(
    ({ role, content }, at): ChatMessage[] => {
      const name = `messages[${at}].content`
      const blocks =
        typeof content === 'string' ? [{ type: 'text', text: content }] : requireList(content, name)
      if (role === 'user') return userMessages(blocks, name)
      // Claude Code puts instructions of the system between turns.
      if (role === 'system') return [{ role, content: plainText(blocks) }]
      if (role !== 'assistant') throw bad(`messages[${at}].role must be user, assistant or system`)
      return [assistantMessage(blocks, name)]
    },
  )
  return system === '' ? turns : [{ role: 'system', content: system }, ...turns]
}

const isOwnTool = ({ type }: Json): boolean =>
  type === undefined || type === null || type === 'custom'

const toolsOf = (body: Json): ChatTool[] =>
  listOf(body.tools)
    .filter(isOwnTool)
    .map(({ name, description, input_schema }, at) => ({
      type: 'function',
      function: {
        name: requireText(name, `tools[${at}].name`),
        description: textOf(description),
        parameters: isObject(input_schema) ? input_schema : { type: 'object' },
      },
    }))

function choiceOf(choice: unknown): ToolChoice | undefined {
  const { type, name } = objectOf(choice)
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  return type === 'tool' && typeof name === 'string'
    ? { type: 'function', function: { name } }
    : undefined
}

/** Thinking has its share of the answer, which may be shorter than the client wanted. */
function thinkingFor(body: Json, max_output: number): Json {
  if (!isObject(body.thinking)) return {}
  const { budget_tokens } = body.thinking
  if (typeof budget_tokens !== 'number' || budget_tokens < max_output)
    return { thinking: body.thinking }
  return max_output <= MIN_THINKING_TOKENS
    ? {}
    : { thinking: { ...body.thinking, budget_tokens: max_output - 1 } }
}

const REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

const usageRecord = ({ input, cached, output }: Usage) => ({
  input_tokens: Math.max(0, input - cached),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
})

/** Writes blocks one after the other. */
class MessagesWriter implements AnswerWriter {
  #blocks = 0
  #open: string | null = null
  #reason = 'end_turn'
  #usage: Usage

  constructor(
    private readonly head: AnswerHead,
    estimatedInput: number,
  ) {
    this.#usage = { input: estimatedInput, cached: 0, output: 0 }
  }

  begin(): string {
    const message = {
      id: newId('msg_'),
      type: 'message',
      role: 'assistant',
      model: this.head.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageRecord(this.#usage),
    }
    return sse({ type: 'message_start', message }, 'message_start')
  }

  #close(): string {
    if (this.#open === null) return ''
    this.#open = null
    const index = this.#blocks++
    return sse({ type: 'content_block_stop', index }, 'content_block_stop')
  }

  /** Begins a block unless it is open; `key` tells blocks apart. */
  #begin(key: string, content_block: Json): string {
    if (this.#open === key) return ''
    const closed = this.#close()
    this.#open = key
    const start = { type: 'content_block_start', index: this.#blocks, content_block }
    return closed + sse(start, 'content_block_start')
  }

  #delta(delta: Json): string {
    const data = { type: 'content_block_delta', index: this.#blocks, delta }
    return sse(data, 'content_block_delta')
  }

  add(event: ModelEvent): string {
    switch (event.kind) {
      case 'text': {
        const begun = this.#begin('text', { type: 'text', text: '' })
        return begun + this.#delta({ type: 'text_delta', text: event.text })
      }
      case 'thinking': {
        const begun = this.#begin('thinking', { type: 'thinking', thinking: '', signature: '' })
        return begun + this.#delta({ type: 'thinking_delta', thinking: event.text })
      }
      case 'call': {
        const { id, name } = event
        return this.#begin(`call ${event.index}`, { type: 'tool_use', id, name, input: {} })
      }
      case 'arguments':
        if (this.#open !== `call ${event.index}`)
          throw new BadAnswer('the model mixed the arguments of two calls')
        return this.#delta({ type: 'input_json_delta', partial_json: event.text })
      case 'end':
        this.#reason = REASONS[event.reason] ?? 'end_turn'
        return ''
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return ''
    }
  }

  end(): string {
    const delta = { stop_reason: this.#reason, stop_sequence: null }
    return [
      this.#close(),
      sse({ type: 'message_delta', delta, usage: usageRecord(this.#usage) }, 'message_delta'),
      sse({ type: 'message_stop' }, 'message_stop'),
    ].join('')
  }
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
}

const error = (status: number, message: string): Json => ({
  type: 'error',
  error: {
    type: ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
    message,
  },
})

const inputOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadAnswer('the arguments of a call are not JSON')
  }
}

export const messagesClient: ClientWire = {
  passes: 'messages',
  read: (body) => {
    for (const [at, { content }] of requireList(body.messages, 'messages').entries())
      requireOwnBlocks(content, `messages[${at}].content`)
    return {
      max_tokens: optionalCount(body.max_tokens, 'max_tokens'),
      stream: body.stream === true,
    }
  },
  toChat: (body) => {
    const tools = toolsOf(body)
    const { disable_parallel_tool_use: isAlone } = objectOf(body.tool_choice)
    return {
      messages: messagesOf(body),
      ...(tools.length === 0 ? {} : { tools }),
      ...defined({
        tool_choice: tools.length === 0 ? undefined : choiceOf(body.tool_choice),
        parallel_tool_calls: isAlone === true ? false : undefined,
        temperature: optionalNumber(body.temperature),
        top_p: optionalNumber(body.top_p),
        stop: Array.isArray(body.stop_sequences)
          ? body.stop_sequences.filter((one) => typeof one === 'string')
          : undefined,
      }),
    }
  },
  forward: (body, { model, max_output, temperature }) => {
    const tools = listOf(body.tools).filter(
      (tool) => isOwnTool(tool) || CLIENT_TOOL.test(textOf(tool.type)),
    )
    return {
      ...(temperature === null || isObject(body.thinking) ? {} : { temperature }),
      ...pick(body, FORWARDED),
      ...(tools.length === 0 ? {} : { tools }),
      ...thinkingFor(body, max_output),
      model,
      max_tokens: max_output,
    }
  },
  writer: (head, estimatedInput) => new MessagesWriter(head, estimatedInput),
  whole: ({ text, calls, reason }, usage, { model }) => ({
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(text === '' && calls.length > 0 ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, function: { name, arguments: input } }) => ({
        type: 'tool_use',
        id,
        name,
        input: inputOf(input),
      })),
    ],
    stop_reason:
      calls.length > 0 && reason !== 'length' ? 'tool_use' : (REASONS[reason] ?? 'end_turn'),
    stop_sequence: null,
    usage: usageRecord(usage),
  }),
  error,
  errorEvent: (message) => sse(error(500, message), 'error'),
}
