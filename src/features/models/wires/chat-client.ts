/** OpenAI's chat completions as clients of the gateway speak them. */
import { newId, sse, type AnswerHead, type AnswerWriter, type ClientWire } from './client.ts'
import type {
  ChatMessage,
  ChatTool,
  ContentPart,
  ModelEvent,
  ToolCall,
  ToolChoice,
  Usage,
} from './events.ts'
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

/** Everything else stays here: it costs more, or has the provider reach other services. */
const FORWARDED = [
  'messages',
  'tool_choice',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'reasoning_effort',
  'verbosity',
  'thinking',
  'chat_template_kwargs',
  'prompt_cache_key',
  'stream',
]
const PARTS = new Set(['text', 'image_url', 'input_audio', 'refusal'])
const STOPPED_BY_LENGTH = 'length'

function partOf(part: Json, name: string): ContentPart {
  if (part.type === 'text') return { type: 'text', text: requireText(part.text, `${name}.text`) }
  if (part.type !== 'image_url')
    throw bad(
      `${name} has the type ${textOf(part.type)}, which the model of this task does not take`,
    )
  const url = requireDataAddress(objectOf(part.image_url).url, `${name}.image_url.url`)
  return { type: 'image_url', image_url: { url } }
}

const callOf = (call: Json, name: string): ToolCall => {
  const { name: tool, arguments: input } = objectOf(call.function)
  return {
    id: requireText(call.id, `${name}.id`),
    type: 'function',
    function: { name: requireText(tool, `${name}.function.name`), arguments: textOf(input) },
  }
}

function messageOf(message: Json, at: number): ChatMessage {
  const name = `messages[${at}]`
  const { role, content } = message
  if (role === 'system' || role === 'developer')
    return { role: 'system', content: plainText(content) }
  if (role === 'tool')
    return {
      role: 'tool',
      tool_call_id: requireText(message.tool_call_id, `${name}.tool_call_id`),
      content: plainText(content),
    }
  if (role === 'assistant') {
    const calls = listOf(message.tool_calls).map((call, order) =>
      callOf(call, `${name}.tool_calls[${order}]`),
    )
    return {
      role: 'assistant',
      content: content == null ? null : plainText(content),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
  }
  if (role !== 'user') throw bad(`${name}.role must be system, user, assistant or tool`)
  if (typeof content === 'string') return { role: 'user', content }
  const parts = requireList(content, `${name}.content`)
  return {
    role: 'user',
    content: parts.map((part, order) => partOf(part, `${name}.content[${order}]`)),
  }
}

/** Tools that the provider would run itself are not offered. */
const toolsOf = (body: Json): ChatTool[] =>
  listOf(body.tools).flatMap((tool) => {
    const { name, description, parameters } = objectOf(tool.function)
    if (tool.type !== 'function' || typeof name !== 'string') return []
    return [
      {
        type: 'function',
        function: {
          name,
          description: textOf(description),
          parameters: isObject(parameters) ? parameters : { type: 'object' },
        },
      },
    ]
  })

function choiceOf(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const { name } = objectOf(objectOf(choice).function)
  return typeof name === 'string' ? { type: 'function', function: { name } } : undefined
}

const stopOf = (stop: unknown): string[] | undefined =>
  typeof stop === 'string'
    ? [stop]
    : Array.isArray(stop)
      ? stop.filter((one) => typeof one === 'string')
      : undefined

/** Throws 400 for parts that refer to files of the provider, or to other addresses. */
function requireOwnParts(body: Json): void {
  for (const [at, { content }] of requireList(body.messages, 'messages').entries())
    for (const [order, part] of listOf(content).entries()) {
      const name = `messages[${at}].content[${order}]`
      if (!PARTS.has(textOf(part.type)))
        throw bad(`${name}.type must be one of ${[...PARTS].join(', ')}`)
      if (part.type === 'image_url')
        requireDataAddress(objectOf(part.image_url).url, `${name}.image_url.url`)
    }
}

const usageRecord = ({ input, cached, output }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
})

/** Writes chunks. */
class ChatWriter implements AnswerWriter {
  readonly #base: Json
  #reason = 'stop'
  #usage: Usage
  /** The places of calls, which clients count from 0. */
  readonly #places = new Map<number, number>()

  constructor(
    private readonly head: AnswerHead,
    estimatedInput: number,
  ) {
    this.#base = {
      id: newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: head.created,
      model: head.model,
    }
    this.#usage = { input: estimatedInput, cached: 0, output: 0 }
  }

  #chunk(delta: Json, finish_reason: string | null = null): string {
    return sse({ ...this.#base, choices: [{ index: 0, delta, finish_reason }] })
  }

  begin(): string {
    return this.#chunk({ role: 'assistant', content: '' })
  }

  add(event: ModelEvent): string {
    switch (event.kind) {
      case 'text':
        return this.#chunk({ content: event.text })
      case 'thinking':
        return this.#chunk({ reasoning_content: event.text })
      case 'call': {
        const index = this.#places.size
        this.#places.set(event.index, index)
        const { id, name } = event
        return this.#chunk({
          tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
        })
      }
      case 'arguments': {
        const index = this.#places.get(event.index)
        if (index === undefined) return ''
        return this.#chunk({ tool_calls: [{ index, function: { arguments: event.text } }] })
      }
      case 'end':
        this.#reason = event.reason
        return ''
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return ''
    }
  }

  end(): string {
    const usage = asksUsage(this.head.request)
      ? sse({ ...this.#base, choices: [], usage: usageRecord(this.#usage) })
      : ''
    return `${this.#chunk({}, this.#reason)}${usage}data: [DONE]\n\n`
  }
}

/** Whether a client wants the usage at the end of a stream. */
export const asksUsage = (body: Json): boolean =>
  objectOf(body.stream_options).include_usage === true

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
}

/** An error in the form of OpenAI. */
export const openAiError = (status: number, message: string, reason: string | null): Json => ({
  error: {
    message,
    type: ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'),
    param: null,
    code: reason,
  },
})

export const chatClient: ClientWire = {
  passes: 'chat_completions',
  read: (body) => {
    requireOwnParts(body)
    if (body.n !== undefined && body.n !== null && body.n !== 1) throw bad('n must be 1')
    return {
      max_tokens:
        optionalCount(body.max_completion_tokens, 'max_completion_tokens') ??
        optionalCount(body.max_tokens, 'max_tokens'),
      stream: body.stream === true,
    }
  },
  toChat: (body) => {
    const tools = toolsOf(body)
    return {
      messages: requireList(body.messages, 'messages').map(messageOf),
      ...(tools.length === 0 ? {} : { tools }),
      ...defined({
        tool_choice: tools.length === 0 ? undefined : choiceOf(body.tool_choice),
        parallel_tool_calls: body.parallel_tool_calls === false ? false : undefined,
        temperature: optionalNumber(body.temperature),
        top_p: optionalNumber(body.top_p),
        stop: stopOf(body.stop),
        response_format: body.response_format ?? undefined,
      }),
    }
  },
  forward: (body, { model, max_output, temperature }) => ({
    ...(temperature === null ? {} : { temperature }),
    ...pick(body, FORWARDED),
    ...(toolsOf(body).length === 0
      ? {}
      : { tools: listOf(body.tools).filter(({ type }) => type === 'function') }),
    model,
    // Newer models take only the one, older servers only the other; clients know which.
    [body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens']: max_output,
    ...(body.stream === true ? { stream_options: { include_usage: true } } : {}),
  }),
  writer: (head, estimatedInput) => new ChatWriter(head, estimatedInput),
  whole: ({ text, thinking, calls, reason }, usage, { model, created }) => ({
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && calls.length > 0 ? null : text,
          refusal: null,
          ...(thinking === '' ? {} : { reasoning_content: thinking }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: calls.length > 0 && reason !== STOPPED_BY_LENGTH ? 'tool_calls' : reason,
        logprobs: null,
      },
    ],
    usage: usageRecord(usage),
  }),
  error: openAiError,
  errorEvent: (message) => sse(openAiError(500, message, 'model_failed')),
}
