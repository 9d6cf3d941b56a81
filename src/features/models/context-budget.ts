/**
 * How much a model is sent. Every call of the forge itself is cut here to what the smallest model of
 * its route can read. What is left out is said in its place, so that the model can ask for it.
 */
import type { Hearth } from '#core/hearth.ts'
import { dataSections } from '#lib/data-marks.ts'
import { bytesOf } from './money.ts'
import { requireRoute } from './routes.ts'
import type { ModelTask } from './schema.ts'
import { DEFAULT_ANSWER_TOKENS, maxAnswerOf, targetsOf } from './targets.ts'
import type { ChatMessage, ChatTool } from './wires/events.ts'

/** What a model may read in one call where its owner has not said. */
const DEFAULT_CONTEXT_TOKENS = 64_000
/** The part of what a model may read that is left free, because tokens are estimated. */
const RESERVED_PART = 0.1
/** Longer conversations are cut even for a model that could read them, because each call costs. */
const MAX_BYTES: Partial<Record<ModelTask, number>> = { code: 120_000 }

/**
 * How many bytes of JSON a conversation for a task may have, so that an answer fits beside it in
 * the smallest of the models that may be asked.
 */
export function inputBytesOf(hearth: Hearth, workspace_id: string, task: ModelTask): number {
  const route = requireRoute(hearth.db, workspace_id, task)
  const sizes = targetsOf(hearth, route).map(({ model }) => {
    const answer = route.max_output_tokens ?? model.max_output_tokens ?? DEFAULT_ANSWER_TOKENS
    return (model.context_tokens ?? DEFAULT_CONTEXT_TOKENS) - maxAnswerOf(model, answer)
  })
  return bytesOf((1 - RESERVED_PART) * Math.min(...sizes, DEFAULT_CONTEXT_TOKENS))
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** The messages of a call, or as much of them as the smallest model of the task can read. */
export function fitMessages(
  hearth: Hearth,
  { workspace_id, task }: { readonly workspace_id: string; readonly task: ModelTask },
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[] = [],
): readonly ChatMessage[] {
  const bytes = Math.min(
    inputBytesOf(hearth, workspace_id, task) - sizeOf(tools),
    MAX_BYTES[task] ?? Infinity,
  )
  return fitConversation(messages, bytes)
}

/** How much of a conversation is left out, from nothing to nearly all; the first that fits is sent. */
type Cut = {
  /** The newest turns of the model whose results stay whole. */
  readonly whole: number
  /** The newest turns of the model that stay at all. */
  readonly kept: number
  /**
   * Turns are cut so many at once. Between two cuts a conversation only grows at its end, and
   * providers have its beginning in their cache.
   */
  readonly step: number
}
const CUTS: readonly Cut[] = [
  { whole: Infinity, kept: Infinity, step: 1 },
  { whole: 6, kept: Infinity, step: 6 },
  { whole: 3, kept: Infinity, step: 3 },
  { whole: 2, kept: 4, step: 2 },
  { whole: 1, kept: 2, step: 1 },
]
const LONG_RESULT_CHARS = 200
const LEFT_OUT =
  '[Earlier turns of yours are left out. What you changed stays changed, whether submitted or not; look before you repeat something.]'

type Assistant = Extract<ChatMessage, { role: 'assistant' }>
type Result = Extract<ChatMessage, { role: 'tool' }>
type User = Extract<ChatMessage, { role: 'user' }>
type Turn =
  | { readonly said: User['content'] }
  | { readonly model: Assistant; readonly results: Result[] }

/** What people said, and what the model said with the results of its calls. */
function turnsOf(messages: readonly ChatMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === 'user') turns.push({ said: message.content })
    else if (message.role === 'assistant') turns.push({ model: message, results: [] })
    else if (message.role === 'tool') {
      const last = turns.at(-1)
      if (last && 'model' in last) last.results.push(message)
    }
  }
  return turns
}

function withoutResult({ tool_calls = [] }: Assistant, result: Result): Result {
  const { length } = result.content
  if (length <= LONG_RESULT_CHARS) return result
  const name = tool_calls.find(({ id }) => id === result.tool_call_id)?.function.name ?? 'the tool'
  return {
    ...result,
    content: `[the result of ${name}, ${length} characters, is left out; call it again if you need it]`,
  }
}

/** The turns that are sent: all that people said, and the newest of the model's. */
function conversation(turns: readonly Turn[], cut: Cut): ChatMessage[] {
  const count = turns.filter((turn) => 'model' in turn).length
  const firstOf = (newest: number): number =>
    Math.max(0, Math.floor((count - newest) / cut.step) * cut.step)
  const firstWhole = firstOf(cut.whole)
  const firstKept = firstOf(cut.kept)
  const messages: ChatMessage[] = []
  // Templates of some models refuse two turns of a person in a row.
  let said: string[] = []
  const addSaid = (): void => {
    if (said.length > 0) messages.push({ role: 'user', content: said.join('\n\n') })
    said = []
  }
  let at = 0
  for (const turn of turns) {
    if (!('model' in turn)) {
      if (typeof turn.said === 'string') said.push(turn.said)
      else {
        addSaid()
        messages.push({ role: 'user', content: turn.said })
      }
      continue
    }
    const number = at++
    if (number >= firstKept) {
      addSaid()
      const { model, results } = turn
      messages.push(
        model,
        ...(number < firstWhole ? results.map((one) => withoutResult(model, one)) : results),
      )
    } else if (said.at(-1) !== LEFT_OUT) said.push(LEFT_OUT)
  }
  addSaid()
  return messages
}

/**
 * A conversation that has at most so many bytes of JSON. First old results of tools are left out,
 * then old turns of the model, then the middle of what is longest. Instructions stay whole.
 */
export function fitConversation(
  messages: readonly ChatMessage[],
  maxBytes: number,
): readonly ChatMessage[] {
  const system = messages.filter(({ role }) => role === 'system')
  const limit = maxBytes - sizeOf(system)
  const turns = turnsOf(messages)
  let rest: ChatMessage[] = []
  for (const cut of CUTS) {
    rest = conversation(turns, cut)
    if (sizeOf(rest) <= limit) return [...system, ...rest]
  }
  return [...system, ...shortenLongest(rest, limit)]
}

/** A text in a message that may be shortened. */
type Piece = { readonly at: number; readonly from: number; readonly to: number }

type Shortening = {
  readonly pieces: (message: ChatMessage) => readonly Omit<Piece, 'at'>[]
  /** No text is shortened further than this. */
  readonly minChars: number
}

const wholeOf = (content: string) => [{ from: 0, to: content.length }]

/** What is shortened first: results, which can be asked for again, then what others wrote. */
const SHORTENINGS: readonly Shortening[] = [
  {
    pieces: (message) => (message.role === 'tool' ? wholeOf(message.content) : []),
    minChars: 1_500,
  },
  {
    pieces: ({ role, content }) =>
      typeof content !== 'string'
        ? []
        : role === 'tool'
          ? wholeOf(content)
          : role === 'user'
            ? dataSections(content)
            : [],
    minChars: 200,
  },
  {
    pieces: ({ role, content }) =>
      role === 'user' && typeof content === 'string' ? wholeOf(content) : [],
    minChars: 200,
  },
]

/** Shortens the longest texts to the same length, so that short ones stay whole. */
function shortenLongest(messages: readonly ChatMessage[], maxBytes: number): ChatMessage[] {
  let shortened = [...messages]
  for (const { pieces, minChars } of SHORTENINGS) {
    const all = shortened.flatMap((message, at) => pieces(message).map((one) => ({ at, ...one })))
    const before = shortened
    // Bytes of JSON are not counted in characters, so the length is searched for.
    let low = minChars
    let high = Math.max(minChars, ...all.map(({ from, to }) => to - from))
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (sizeOf(shortenTo(before, all, middle)) <= maxBytes) low = middle
      else high = middle - 1
    }
    shortened = shortenTo(before, all, low)
    if (sizeOf(shortened) <= maxBytes) break
  }
  return shortened
}

function shortenTo(
  messages: readonly ChatMessage[],
  pieces: readonly Piece[],
  maxChars: number,
): ChatMessage[] {
  const shortened = [...messages]
  // The last ones first, so that the places of those before them stay.
  for (const { at, from, to } of pieces.toReversed()) {
    const message = shortened[at]
    if (!message || typeof message.content !== 'string') continue
    const { content } = message
    const text = cutMiddle(content.slice(from, to), maxChars)
    shortened[at] = {
      ...message,
      content: content.slice(0, from) + text + content.slice(to),
    } as ChatMessage
  }
  return shortened
}

/** Keeps both ends of a long text, and says how much is left out between them. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const half = Math.floor(maxChars / 2)
  const kept = `${text.slice(0, half)}\n[${text.length - 2 * half} characters are left out]\n${text.slice(-half)}`
  return kept.toWellFormed()
}

/** Keeps the beginning of a long text, and says how much is left out after it. */
export const cutEnd = (text: string, maxChars: number): string =>
  text.length <= maxChars
    ? text
    : `${text.slice(0, maxChars).toWellFormed()}\n[${text.length - maxChars} characters are left out]`

/** Keeps the end of a long text, and says how much is left out before it. */
export const cutStart = (text: string, maxChars: number): string =>
  text.length <= maxChars
    ? text
    : `[${text.length - maxChars} characters are left out]\n${text.slice(-maxChars).toWellFormed()}`

/** Lines of a list that may be longer than what is shown of it. */
export const listOfLines = (lines: readonly string[], maxLines: number): string =>
  lines.length <= maxLines
    ? lines.join('\n')
    : `${lines.slice(0, maxLines).join('\n')}\n[more are left out]`
