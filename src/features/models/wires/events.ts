/**
 * The answer of a model as events, whatever interface the provider speaks. Requests inside the
 * forge have the form of OpenAI's chat completions.
 */

export type ToolCall = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
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

/** Tokens of a call. `input` includes those that the provider had cached. */
export type Usage = { readonly input: number; readonly cached: number; readonly output: number }

export type ModelEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly kind: 'arguments'; readonly index: number; readonly text: string }
  | { readonly kind: 'usage'; readonly usage: Partial<Usage> }
  | { readonly kind: 'end'; readonly reason: string }

/** A provider sent what its interface does not have. */
export class BadAnswer extends Error {}

const MAX_LINE_CHARS = 4 * 1024 * 1024

/** The `data` lines of server-sent events as JSON. Throws `BadAnswer` for others. */
export async function* dataOf(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARS) throw new BadAnswer('a line of the answer is too long')
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      const text = line.slice(5).trim()
      if (text !== '' && text !== '[DONE]') yield parseObject(text)
    }
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new BadAnswer('the answer is not JSON')
}

export type Answer = {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly reason: string
}

/** Puts the events of an answer together. */
export class AnswerBuilder {
  #text = ''
  #reason = 'stop'
  readonly #calls = new Map<number, { id: string; name: string; text: string }>()

  add(event: ModelEvent): void {
    if (event.kind === 'text') this.#text += event.text
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
      reason: this.#reason,
      calls: [...this.#calls.values()].map(({ id, name, text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text === '' ? '{}' : text },
      })),
    }
  }
}
