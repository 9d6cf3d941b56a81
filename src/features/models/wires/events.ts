/**
 * The answer of a model as events, whatever interface the provider speaks. Requests inside the
 * forge have the form of OpenAI's chat completions.
 */

export type ToolCall = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A part of what a person says. Images are data addresses. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly tool_calls?: readonly ToolCall[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export type ChatTool = {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: Readonly<Record<string, unknown>>
  }
}

export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }

export type ChatRequest = {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ChatTool[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: boolean
  readonly max_tokens: number
  readonly temperature?: number
  readonly top_p?: number
  readonly stop?: readonly string[]
  readonly response_format?: unknown
}

/** Tokens of a call. `input` includes those that the provider had cached. */
export type Usage = { readonly input: number; readonly cached: number; readonly output: number }

export type ModelEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly kind: 'arguments'; readonly index: number; readonly text: string }
  | { readonly kind: 'usage'; readonly usage: Partial<Usage> }
  | { readonly kind: 'end'; readonly reason: string }

export type Answer = {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly ToolCall[]
  readonly reason: string
}

/** Puts the events of an answer together. */
export class AnswerBuilder {
  #text = ''
  #thinking = ''
  #reason = 'stop'
  readonly #calls = new Map<number, { id: string; name: string; text: string }>()

  add(event: ModelEvent): void {
    if (event.kind === 'text') this.#text += event.text
    else if (event.kind === 'thinking') this.#thinking += event.text
    else if (event.kind === 'end') this.#reason = event.reason
    else if (event.kind === 'call')
      this.#calls.set(event.index, { id: event.id, name: event.name, text: '' })
    else if (event.kind === 'arguments') {
      const call = this.#calls.get(event.index)
      if (call) call.text += event.text
    }
  }

  build(): Answer {
    return {
      text: this.#text,
      thinking: this.#thinking,
      reason: this.#reason,
      calls: [...this.#calls.values()].map(({ id, name, text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text === '' ? '{}' : text },
      })),
    }
  }
}
