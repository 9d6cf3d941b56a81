/**
 * OpenAI's responses as clients of the gateway speak them, without what the provider would have to
 * remember. Providers are asked with the interface that they speak.
 */
import { openAiError } from './chat-client.ts'
import type { ClientWire } from './client.ts'
import type { ChatMessage, ChatTool, ContentPart, ToolChoice } from './events.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import {
  bad,
  defined,
  listOf,
  optionalCount,
  optionalNumber,
  requireDataAddress,
  requireList,
  requireText,
  textOf,
  type Json,
} from './json.ts'
import { responsesError, ResponsesWriter, wholeResponse } from './responses-writer.ts'

/** What only a provider that remembers could do. */
const STATEFUL = ['previous_response_id', 'conversation', 'prompt'] as const

const FREE_TEXT = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

function partsOf(content: unknown, name: string): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return requireList(content, name).map((part, at) => {
    const here = `${name}[${at}]`
    if (part.type === 'input_image') {
      const url = requireDataAddress(part.image_url, `${here}.image_url`)
      return { type: 'image_url', image_url: { url } }
    }
    if (part.type === 'input_file')
      throw bad(`${here} is a file, which the model of this task does not take`)
    return { type: 'text', text: textOf(part.text ?? part.refusal) }
  })
}

const textsOf = (parts: readonly ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')

function saidBy(item: Json, name: string): ChatMessage {
  const parts = partsOf(item.content, `${name}.content`)
  if (item.role === 'system' || item.role === 'developer')
    return { role: 'system', content: textsOf(parts) }
  if (item.role === 'assistant') return { role: 'assistant', content: textsOf(parts) }
  if (item.role !== 'user') throw bad(`${name}.role must be user, assistant, system or developer`)
  const onlyText = parts.every(({ type }) => type === 'text')
  return { role: 'user', content: onlyText ? textsOf(parts) : parts }
}

/** The call of a tool; one with free text has it as its only argument. */
const callOf = (item: Json, name: string): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [
    {
      id: requireText(item.call_id, `${name}.call_id`),
      type: 'function',
      function: {
        name: requireText(item.name, `${name}.name`),
        arguments:
          item.type === 'custom_tool_call'
            ? JSON.stringify({ input: textOf(item.input) })
            : textOf(item.arguments),
      },
    },
  ],
})

const resultOf = (item: Json, name: string): ChatMessage => ({
  role: 'tool',
  tool_call_id: requireText(item.call_id, `${name}.call_id`),
  content: textsOf(partsOf(item.output ?? '', `${name}.output`)),
})

function messageOf(item: Json, at: number): ChatMessage[] {
  const name = `input[${at}]`
  switch (item.type ?? 'message') {
    case 'message':
      return [saidBy(item, name)]
    case 'function_call':
    case 'custom_tool_call':
      return [callOf(item, name)]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [resultOf(item, name)]
    case 'reasoning':
      return []
    default:
      throw bad(`${name}.type ${textOf(item.type)} is not taken here`)
  }
}

/** Calls that were made at once are one message, and follow what was said with them. */
function joinCalls(messages: readonly ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === 'assistant' && message.role === 'assistant' && message.tool_calls)
      joined[joined.length - 1] = {
        ...last,
        tool_calls: [...(last.tool_calls ?? []), ...message.tool_calls],
      }
    else joined.push(message)
  }
  return joined
}

function messagesOf(body: Json): ChatMessage[] {
  const instructions = textOf(body.instructions)
  const said: ChatMessage[] =
    typeof body.input === 'string'
      ? [{ role: 'user', content: body.input }]
      : joinCalls(requireList(body.input, 'input').flatMap(messageOf))
  return instructions === '' ? said : [{ role: 'system', content: instructions }, ...said]
}

/** Tools that the provider would run itself are not offered. */
const toolsOf = (body: Json): ChatTool[] =>
  listOf(body.tools).flatMap(({ type, name, description, parameters }) => {
    if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return []
    const schema = isObject(parameters) ? parameters : { type: 'object' }
    return [
      {
        type: 'function',
        function: {
          name,
          description: textOf(description),
          parameters: type === 'custom' ? FREE_TEXT : schema,
        },
      },
    ]
  })

function choiceOf(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const { name } = objectOf(choice)
  return typeof name === 'string' ? { type: 'function', function: { name } } : undefined
}

function formatOf({ text }: Json): Json | undefined {
  const { type, name, schema, strict, description } = objectOf(objectOf(text).format)
  if (type === 'json_object') return { type }
  return type === 'json_schema'
    ? { type, json_schema: defined({ name, schema, strict, description }) }
    : undefined
}

export const responsesClient: ClientWire = {
  passes: null,
  read: (body) => {
    for (const name of STATEFUL)
      if (body[name] != null)
        throw bad(`${name} is not taken here: nothing is remembered, so send the whole input`)
    if (body.background === true) throw bad('background is not taken here')
    return {
      max_tokens: optionalCount(body.max_output_tokens, 'max_output_tokens'),
      stream: body.stream === true,
    }
  },
  toChat: (body) => {
    const tools = toolsOf(body)
    return {
      messages: messagesOf(body),
      ...(tools.length === 0 ? {} : { tools }),
      ...defined({
        tool_choice: tools.length === 0 ? undefined : choiceOf(body.tool_choice),
        parallel_tool_calls: body.parallel_tool_calls === false ? false : undefined,
        temperature: optionalNumber(body.temperature),
        top_p: optionalNumber(body.top_p),
        response_format: formatOf(body),
      }),
    }
  },
  forward: () => {
    throw new TypeError('no provider is asked with responses')
  },
  writer: (head, estimatedInput) => new ResponsesWriter(head, estimatedInput),
  whole: wholeResponse,
  error: openAiError,
  errorEvent: responsesError,
}
