/** Google's generateContent as clients of the gateway speak it. */
import { newId, sse, type AnswerHead, type AnswerWriter, type ClientWire } from './client.ts'
import type {
  ChatMessage,
  ChatRequest,
  ChatTool,
  ContentPart,
  ModelEvent,
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
  requireDataAddress,
  requireList,
  requireText,
  textOf,
  type Json,
} from './json.ts'
import { BadAnswer } from './sse.ts'

/** Parts that are in the request itself. Others refer to files or run code at the provider. */
const PART_FIELDS = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'functionCall',
  'functionResponse',
])
const FORWARDED = ['contents', 'systemInstruction', 'toolConfig', 'safetySettings']

const turnsOf = (body: Json): readonly Json[] => requireList(body.contents, 'contents')

const partsOf = (turn: Json, name: string): readonly Json[] =>
  requireList(turn.parts, `${name}.parts`)

/** Throws 400 for parts that are not in the request itself, also within results of tools. */
function requireOwnParts(parts: readonly Json[], name: string): void {
  for (const [at, part] of parts.entries()) {
    const here = `${name}.parts[${at}]`
    const other = Object.keys(part).find((field) => !PART_FIELDS.has(field))
    if (other !== undefined) throw bad(`${here}.${other.slice(0, 100)} is not taken here`)
    const inner = objectOf(part.functionResponse).parts
    if (inner !== undefined) throw bad(`${here}.functionResponse.parts is not taken here`)
  }
}

const systemOf = (body: Json): readonly Json[] =>
  isObject(body.systemInstruction) ? listOf(body.systemInstruction.parts) : []

const settingsOf = (body: Json): Json => objectOf(body.generationConfig)

/** Schemas of this interface may have types in capitals, which JSON Schema does not have. */
const TYPES = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'])
const MAX_SCHEMA_DEPTH = 60

function jsonSchema(value: unknown, depth = 0): unknown {
  if (depth > MAX_SCHEMA_DEPTH) throw bad('a schema is nested too deep')
  if (Array.isArray(value)) return value.map((one) => jsonSchema(one, depth + 1))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'type' && typeof inner === 'string' && TYPES.has(inner)
        ? inner.toLowerCase()
        : jsonSchema(inner, depth + 1),
    ]),
  )
}

/** Tools that the client runs. Those that the provider runs stay here. */
const declarationsOf = (body: Json): readonly Json[] =>
  listOf(body.tools).flatMap(({ functionDeclarations }) => listOf(functionDeclarations))

const toolsOf = (body: Json): ChatTool[] =>
  declarationsOf(body).map(({ name, description, parameters, parametersJsonSchema }, at) => {
    const schema = jsonSchema(parametersJsonSchema ?? parameters)
    return {
      type: 'function',
      function: {
        name: requireText(name, `functionDeclarations[${at}].name`),
        description: textOf(description),
        parameters: isObject(schema) ? schema : { type: 'object' },
      },
    }
  })

function choiceOf(body: Json): ToolChoice | undefined {
  const { mode, allowedFunctionNames } = objectOf(objectOf(body.toolConfig).functionCallingConfig)
  if (mode === 'NONE') return 'none'
  if (mode !== 'ANY') return mode === 'AUTO' ? 'auto' : undefined
  const names: unknown[] = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : []
  const [name] = names
  return names.length === 1 && typeof name === 'string'
    ? { type: 'function', function: { name } }
    : 'required'
}

const outputOf = (response: unknown): string => {
  const { output, result } = objectOf(response)
  const text = output ?? result
  return typeof text === 'string' ? text : JSON.stringify(response ?? {})
}

/** Calls without an answer, so that a result without an id finds its call by name. */
class OpenCalls {
  #count = 0
  #open: { readonly id: string; readonly name: string }[] = []

  add(given: unknown, name: string): string {
    const id = textOf(given) || `call_${this.#count++}`
    this.#open.push({ id, name })
    return id
  }

  take(given: unknown, name: string): string {
    const at = this.#open.findIndex((call) =>
      textOf(given) === '' ? call.name === name : call.id === given,
    )
    const [found] = at < 0 ? [] : this.#open.splice(at, 1)
    if (!found) throw bad(`the result of ${name.slice(0, 100)} has no call`)
    return found.id
  }
}

function userMessages(parts: readonly Json[], name: string, calls: OpenCalls): ChatMessage[] {
  const results: ChatMessage[] = []
  const said: ContentPart[] = []
  for (const [at, part] of parts.entries()) {
    if (typeof part.text === 'string') said.push({ type: 'text', text: part.text })
    if (isObject(part.inlineData)) said.push(imageOf(part.inlineData, `${name}.parts[${at}]`))
    if (!isObject(part.functionResponse)) continue
    const { id, name: tool, response } = part.functionResponse
    results.push({
      role: 'tool',
      tool_call_id: calls.take(id, textOf(tool)),
      content: outputOf(response),
    })
  }
  const onlyText = said.every(({ type }) => type === 'text')
  const content = onlyText
    ? said.map((part) => ('text' in part ? part.text : '')).join('\n\n')
    : said
  return [...results, ...(said.length === 0 ? [] : [{ role: 'user' as const, content }])]
}

function imageOf({ mimeType, data }: Json, name: string): ContentPart {
  const type = requireText(mimeType, `${name}.inlineData.mimeType`)
  if (!type.startsWith('image/'))
    throw bad(`${name} is ${type.slice(0, 100)}, which the model of this task does not take`)
  const url = `data:${type};base64,${requireText(data, `${name}.inlineData.data`)}`
  return { type: 'image_url', image_url: { url: requireDataAddress(url, name) } }
}

function modelMessage(parts: readonly Json[], name: string, calls: OpenCalls): ChatMessage[] {
  const text = parts
    .filter((part) => part.thought !== true)
    .map((part) => textOf(part.text))
    .join('')
  const called = parts.flatMap(({ functionCall }, at) => {
    if (!isObject(functionCall)) return []
    const tool = requireText(functionCall.name, `${name}.parts[${at}].functionCall.name`)
    return [
      {
        id: calls.add(functionCall.id, tool),
        type: 'function' as const,
        function: { name: tool, arguments: JSON.stringify(functionCall.args ?? {}) },
      },
    ]
  })
  if (text === '' && called.length === 0) return []
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(called.length === 0 ? {} : { tool_calls: called }),
    },
  ]
}

function messagesOf(body: Json): ChatMessage[] {
  const calls = new OpenCalls()
  const turns = turnsOf(body).flatMap((turn, at): ChatMessage[] => {
    const name = `contents[${at}]`
    const parts = partsOf(turn, name)
    if (turn.role === 'model') return modelMessage(parts, name, calls)
    if (turn.role !== undefined && turn.role !== 'user' && turn.role !== 'function')
      throw bad(`${name}.role must be user or model`)
    return userMessages(parts, name, calls)
  })
  const system = systemOf(body)
    .map(({ text }) => textOf(text))
    .join('\n\n')
  return system === '' ? turns : [{ role: 'system', content: system }, ...turns]
}

function formatOf(body: Json): Json | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema } = settingsOf(body)
  if (responseMimeType !== 'application/json') return undefined
  const schema = jsonSchema(responseJsonSchema ?? responseSchema)
  return isObject(schema)
    ? { type: 'json_schema', json_schema: { name: 'answer', schema } }
    : { type: 'json_object' }
}

const REASONS: Readonly<Record<string, string>> = { length: 'MAX_TOKENS', content_filter: 'SAFETY' }

const usageRecord = ({ input, cached, output }: Usage): Json => ({
  promptTokenCount: input,
  candidatesTokenCount: output,
  totalTokenCount: input + output,
  ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
})

function callPart(id: string, name: string, text: string): Json {
  try {
    return { functionCall: { id, name, args: text === '' ? {} : JSON.parse(text) } }
  } catch {
    throw new BadAnswer('the arguments of a call are not JSON')
  }
}

/** Calls are whole in this interface, so they are written once their arguments have come. */
class GenerateWriter implements AnswerWriter {
  readonly #base: Json
  readonly #calls = new Map<number, { id: string; name: string; text: string }>()
  #reason = 'stop'
  #usage: Usage

  constructor({ model }: AnswerHead, estimatedInput: number) {
    this.#base = { modelVersion: model, responseId: newId('') }
    this.#usage = { input: estimatedInput, cached: 0, output: 0 }
  }

  #response(parts: readonly Json[], more: Json = {}, usage: Json = {}): string {
    const candidate = { content: { role: 'model', parts }, index: 0, ...more }
    return sse({ candidates: [candidate], ...usage, ...this.#base })
  }

  begin(): string {
    return ''
  }

  add(event: ModelEvent): string {
    switch (event.kind) {
      case 'text':
        return this.#response([{ text: event.text }])
      case 'thinking':
        return this.#response([{ text: event.text, thought: true }])
      case 'call':
        this.#calls.set(event.index, { id: event.id, name: event.name, text: '' })
        return ''
      case 'arguments': {
        const call = this.#calls.get(event.index)
        if (call) call.text += event.text
        return ''
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
    const parts = [...this.#calls.values()].map(({ id, name, text }) => callPart(id, name, text))
    return this.#response(
      parts.length === 0 ? [{ text: '' }] : parts,
      { finishReason: REASONS[this.#reason] ?? 'STOP' },
      { usageMetadata: usageRecord(this.#usage) },
    )
  }
}

const ERROR_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

const error = (code: number, message: string): Json => ({
  error: {
    code,
    message,
    status: ERROR_STATUSES[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
  },
})

function toChat(body: Json): Omit<ChatRequest, 'max_tokens'> {
  const tools = toolsOf(body)
  const { temperature, topP, stopSequences } = settingsOf(body)
  return {
    messages: messagesOf(body),
    ...(tools.length === 0 ? {} : { tools }),
    ...defined({
      tool_choice: tools.length === 0 ? undefined : choiceOf(body),
      temperature: optionalNumber(temperature),
      top_p: optionalNumber(topP),
      stop: Array.isArray(stopSequences)
        ? stopSequences.filter((one) => typeof one === 'string')
        : undefined,
      response_format: formatOf(body),
    }),
  }
}

/** The address says whether the answer is a stream. */
export const generateClient = (stream: boolean): ClientWire => ({
  passes: 'generate_content',
  read: (body) => {
    for (const [at, turn] of turnsOf(body).entries())
      requireOwnParts(partsOf(turn, `contents[${at}]`), `contents[${at}]`)
    requireOwnParts(systemOf(body), 'systemInstruction')
    if (body.cachedContent !== undefined) throw bad('cachedContent is not taken here')
    const { candidateCount, maxOutputTokens } = settingsOf(body)
    if (candidateCount !== undefined && candidateCount !== 1) throw bad('candidateCount must be 1')
    return {
      max_tokens: optionalCount(maxOutputTokens, 'generationConfig.maxOutputTokens'),
      stream,
    }
  },
  toChat,
  forward: (body, { max_output, temperature }) => {
    const functionDeclarations = declarationsOf(body)
    return {
      ...pick(body, FORWARDED),
      ...(functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
      generationConfig: {
        ...(temperature === null ? {} : { temperature }),
        ...settingsOf(body),
        maxOutputTokens: max_output,
      },
    }
  },
  writer: (head, estimatedInput) => new GenerateWriter(head, estimatedInput),
  whole: ({ text, calls, reason }, usage, { model }) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(text === '' && calls.length > 0 ? [] : [{ text }]),
            ...calls.map(({ id, function: { name, arguments: input } }) =>
              callPart(id, name, input),
            ),
          ],
        },
        finishReason: REASONS[reason] ?? 'STOP',
        index: 0,
      },
    ],
    usageMetadata: usageRecord(usage),
    modelVersion: model,
    responseId: newId(''),
  }),
  error,
  // Google's clients look for an error in whatever is no event.
  errorEvent: (message) => `${JSON.stringify(error(500, message))}\n\n`,
})
