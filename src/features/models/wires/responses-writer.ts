/** Answers in the form of OpenAI's responses. */
import { newId, sse, type AnswerHead, type AnswerWriter } from './client.ts'
import type { Answer, ModelEvent, Usage } from './events.ts'
import { objectOf } from '#lib/json-value.ts'
import { listOf, textOf, type Json } from './json.ts'
import { BadAnswer } from './sse.ts'

/** Tools of the request whose input is free text. */
const customTools = ({ request }: AnswerHead): ReadonlySet<string> =>
  new Set(
    listOf(request.tools).flatMap(({ type, name }) => (type === 'custom' ? [textOf(name)] : [])),
  )

const usageRecord = ({ input, cached, output }: Usage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
})

const contentOf = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })

const messageItem = (id: string, text: string | null, status: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  status,
  content: text === null ? [] : [contentOf(text)],
})

type CallText = { readonly id: string; readonly name: string; text: string }

/** The free text of a custom tool, which the model sent as its only argument. */
function freeTextOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    const { input } = objectOf(value)
    if (typeof input === 'string') return input
  } catch {
    // The model sent the text itself.
  }
  return text
}

const callItem = (id: string, call: CallText, isCustom: boolean, status: string) =>
  isCustom
    ? {
        id,
        type: 'custom_tool_call',
        call_id: call.id,
        name: call.name,
        input: freeTextOf(call.text),
        status,
      }
    : {
        id,
        type: 'function_call',
        call_id: call.id,
        name: call.name,
        arguments: call.text,
        status,
      }

const responseOf = (head: AnswerHead, id: string, more: Json): Json => ({
  id,
  object: 'response',
  created_at: head.created,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: head.model,
  parallel_tool_calls: true,
  previous_response_id: null,
  store: false,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  usage: null,
  ...more,
})

const ended = (reason: string): Json =>
  reason === 'length'
    ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    : reason === 'content_filter'
      ? { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
      : { status: 'completed' }

export function wholeResponse(
  { text, calls, reason }: Answer,
  usage: Usage,
  head: AnswerHead,
): Json {
  const custom = customTools(head)
  return responseOf(head, newId('resp_'), {
    ...ended(reason),
    output: [
      ...(text === '' && calls.length > 0 ? [] : [messageItem(newId('msg_'), text, 'completed')]),
      ...calls.map(({ id, function: { name, arguments: input } }) =>
        callItem(newId('fc_'), { id, name, text: input }, custom.has(name), 'completed'),
      ),
    ],
    usage: usageRecord(usage),
  })
}

type OpenItem = { readonly id: string; readonly call: CallText | null; text: string }

/** Writes items one after the other. */
export class ResponsesWriter implements AnswerWriter {
  readonly #id = newId('resp_')
  readonly #custom: ReadonlySet<string>
  readonly #output: Json[] = []
  readonly #calls = new Map<number, OpenItem>()
  #open: OpenItem | null = null
  #number = 0
  #reason = 'stop'
  #usage: Usage

  constructor(
    private readonly head: AnswerHead,
    estimatedInput: number,
  ) {
    this.#custom = customTools(head)
    this.#usage = { input: estimatedInput, cached: 0, output: 0 }
  }

  #event(type: string, data: Json): string {
    return sse({ type, sequence_number: this.#number++, ...data }, type)
  }

  begin(): string {
    const response = responseOf(this.head, this.#id, { status: 'in_progress', output: [] })
    return (
      this.#event('response.created', { response }) +
      this.#event('response.in_progress', { response })
    )
  }

  #isCustom({ call }: OpenItem): boolean {
    return call !== null && this.#custom.has(call.name)
  }

  /** Where the open item is. */
  #place({ id }: OpenItem): Json {
    return { item_id: id, output_index: this.#output.length }
  }

  #begin(item: OpenItem, shown: Json): string {
    const closed = this.#close()
    this.#open = item
    return (
      closed +
      this.#event('response.output_item.added', { output_index: this.#output.length, item: shown })
    )
  }

  #text(text: string): string {
    let begun = ''
    if (this.#open === null || this.#open.call !== null) {
      const item = { id: newId('msg_'), call: null, text: '' }
      begun = this.#begin(item, messageItem(item.id, null, 'in_progress'))
      begun += this.#event('response.content_part.added', {
        ...this.#place(item),
        content_index: 0,
        part: contentOf(''),
      })
    }
    const item = this.#open
    if (item === null) return begun
    item.text += text
    const at = { ...this.#place(item), content_index: 0 }
    return begun + this.#event('response.output_text.delta', { ...at, delta: text, logprobs: [] })
  }

  #arguments(index: number, text: string): string {
    const item = this.#calls.get(index)
    if (!item?.call) return ''
    if (item !== this.#open) throw new BadAnswer('the model mixed the arguments of two calls')
    item.call.text += text
    // Free text is inside of the arguments, so it is known when they are whole.
    if (this.#isCustom(item)) return ''
    return this.#event('response.function_call_arguments.delta', {
      ...this.#place(item),
      delta: text,
    })
  }

  #close(): string {
    const item = this.#open
    if (item === null) return ''
    this.#open = null
    const place = this.#place(item)
    const done = item.call
      ? callItem(item.id, item.call, this.#isCustom(item), 'completed')
      : messageItem(item.id, item.text, 'completed')
    const output_index = this.#output.length
    const before = item.call ? this.#endCall(item, place) : this.#endText(item, place)
    this.#output.push(done)
    return before + this.#event('response.output_item.done', { output_index, item: done })
  }

  #endText({ text }: OpenItem, place: Json): string {
    const at = { ...place, content_index: 0 }
    return (
      this.#event('response.output_text.done', { ...at, text, logprobs: [] }) +
      this.#event('response.content_part.done', { ...at, part: contentOf(text) })
    )
  }

  #endCall(item: OpenItem, place: Json): string {
    const { name = '', text = '' } = item.call ?? {}
    if (!this.#isCustom(item))
      return this.#event('response.function_call_arguments.done', {
        ...place,
        name,
        arguments: text,
      })
    const input = freeTextOf(text)
    return (
      this.#event('response.custom_tool_call_input.delta', { ...place, delta: input }) +
      this.#event('response.custom_tool_call_input.done', { ...place, input })
    )
  }

  add(event: ModelEvent): string {
    switch (event.kind) {
      case 'text':
        return this.#text(event.text)
      case 'call': {
        const call = { id: event.id, name: event.name, text: '' }
        const item = { id: newId('fc_'), call, text: '' }
        this.#calls.set(event.index, item)
        return this.#begin(
          item,
          callItem(item.id, call, this.#custom.has(call.name), 'in_progress'),
        )
      }
      case 'arguments':
        return this.#arguments(event.index, event.text)
      case 'end':
        this.#reason = event.reason
        return ''
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return ''
      case 'thinking':
        return ''
    }
  }

  end(): string {
    const closed = this.#close()
    const state = ended(this.#reason)
    const response = responseOf(this.head, this.#id, {
      ...state,
      output: this.#output,
      usage: usageRecord(this.#usage),
    })
    const type = state.status === 'completed' ? 'response.completed' : 'response.incomplete'
    return closed + this.#event(type, { response })
  }
}

/** The event of an answer that broke off. */
export const responsesError = (message: string): string =>
  sse({ type: 'error', sequence_number: 0, code: 'model_failed', message, param: null }, 'error')
