/** Google's generateContent: requests from chat completions, answers as events. */
import type { ChatMessage, ChatRequest, ContentPart, ModelEvent, Usage } from './events.ts'
import { isObject, objectOf } from '#lib/json-value.ts'
import { listOf, optionalNumber, textOf, type Json } from './json.ts'

/** Thoughts are billed as output, but counted apart from the candidates. */
export function usageOfGenerate(usage: Json): Partial<Usage> {
  const input = optionalNumber(usage.promptTokenCount)
  const said = optionalNumber(usage.candidatesTokenCount)
  const thought = optionalNumber(usage.thoughtsTokenCount)
  return {
    ...(input === undefined
      ? {}
      : { input, cached: optionalNumber(usage.cachedContentTokenCount) ?? 0 }),
    ...(said === undefined && thought === undefined
      ? {}
      : { output: (said ?? 0) + (thought ?? 0) }),
  }
}

const REASONS: Readonly<Record<string, string>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
}

function* eventsOfPart(part: Json, index: number): Generator<ModelEvent> {
  const text = textOf(part.text)
  if (text !== '') yield { kind: part.thought === true ? 'thinking' : 'text', text }
  if (!isObject(part.functionCall)) return
  const { id, name, args } = part.functionCall
  yield { kind: 'call', index, id: textOf(id) || `call_${index}`, name: textOf(name) }
  yield { kind: 'arguments', index, text: JSON.stringify(args ?? {}) }
}

/** Reads the responses of one answer, of which a stream has several. A call is always whole. */
export function generateReader(): (response: Json) => Generator<ModelEvent> {
  let calls = 0
  return function* eventsOfResponse({ candidates, usageMetadata, promptFeedback }) {
    const [candidate = {}] = listOf(candidates)
    for (const part of listOf(objectOf(candidate.content).parts))
      yield* eventsOfPart(part, isObject(part.functionCall) ? calls++ : 0)
    const reason = textOf(candidate.finishReason)
    if (reason !== '')
      yield { kind: 'end', reason: REASONS[reason] ?? (calls > 0 ? 'tool_calls' : 'stop') }
    if (textOf(objectOf(promptFeedback).blockReason) !== '')
      yield { kind: 'end', reason: 'content_filter' }
    if (isObject(usageMetadata)) yield { kind: 'usage', usage: usageOfGenerate(usageMetadata) }
  }
}

const DATA_IMAGE = /^data:(image\/[a-z+.-]{1,40});base64,/

const partsOf = (content: string | readonly ContentPart[]): Json[] =>
  typeof content === 'string'
    ? [{ text: content }]
    : content.map((part) => {
        if (part.type === 'text') return { text: part.text }
        const { url } = part.image_url
        const [head = '', mimeType = ''] = DATA_IMAGE.exec(url) ?? []
        return { inlineData: { mimeType, data: url.slice(head.length) } }
      })

/** Newer models demand a signature of each call, which calls of other interfaces do not have. */
const NO_SIGNATURE = 'skip_thought_signature_validator'

function argsOf(text: string): Json {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}

type Turn = { readonly role: 'user' | 'model'; readonly parts: Json[] }

/** Results name their tool, which chat completions leave to the id of the call. */
function turnOf(message: ChatMessage, names: Map<string, string>): Turn {
  if (message.role === 'tool') {
    const name = names.get(message.tool_call_id) ?? 'tool'
    return {
      role: 'user',
      parts: [{ functionResponse: { name, response: { output: message.content } } }],
    }
  }
  if (message.role !== 'assistant') return { role: 'user', parts: partsOf(message.content) }
  const calls = message.tool_calls ?? []
  for (const { id, function: called } of calls) names.set(id, called.name)
  return {
    role: 'model',
    parts: [
      ...(message.content ? [{ text: message.content }] : []),
      ...calls.map(({ function: { name, arguments: input } }) => ({
        functionCall: { name, args: argsOf(input) },
        thoughtSignature: NO_SIGNATURE,
      })),
    ],
  }
}

function toolConfigOf({ tool_choice: choice }: ChatRequest): Json {
  if (choice === undefined) return {}
  const mode = choice === 'none' ? 'NONE' : choice === 'auto' ? 'AUTO' : 'ANY'
  const only = typeof choice === 'object' ? { allowedFunctionNames: [choice.function.name] } : {}
  return { toolConfig: { functionCallingConfig: { mode, ...only } } }
}

function formatOf({ response_format }: ChatRequest): Json {
  const { type, json_schema } = objectOf(response_format)
  if (type !== 'json_object' && type !== 'json_schema') return {}
  const { schema } = objectOf(json_schema)
  return {
    responseMimeType: 'application/json',
    ...(isObject(schema) ? { responseJsonSchema: schema } : {}),
  }
}

/** The same request for generateContent. Turns of one role in a row become one. */
export function chatToGenerate(request: ChatRequest): Json {
  const turns: Turn[] = []
  const names = new Map<string, string>()
  for (const message of request.messages) {
    if (message.role === 'system') continue
    const turn = turnOf(message, names)
    const last = turns.at(-1)
    if (last?.role === turn.role) last.parts.push(...turn.parts)
    else if (turn.parts.length > 0) turns.push(turn)
  }
  const system = request.messages.flatMap(({ role, content }) =>
    role === 'system' && typeof content === 'string' && content !== '' ? [content] : [],
  )
  const tools = request.tools ?? []
  return {
    contents: turns,
    ...(system.length === 0
      ? {}
      : { systemInstruction: { parts: [{ text: system.join('\n\n') }] } }),
    ...(tools.length === 0
      ? {}
      : {
          tools: [
            {
              functionDeclarations: tools.map(
                ({ function: { name, description, parameters } }) => ({
                  name,
                  description,
                  parametersJsonSchema: parameters,
                }),
              ),
            },
          ],
          ...toolConfigOf(request),
        }),
    generationConfig: {
      maxOutputTokens: request.max_tokens,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.top_p === undefined ? {} : { topP: request.top_p }),
      ...(request.stop === undefined ? {} : { stopSequences: request.stop }),
      ...formatOf(request),
    },
  }
}
