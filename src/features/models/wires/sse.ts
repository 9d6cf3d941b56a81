/** Server-sent events of model providers, read with bounds. */

/** A provider sent what its interface does not have. */
export class BadAnswer extends Error {}

const MAX_EVENT_CHARS = 4 * 1024 * 1024

/** One event: its text as it came, and its data as JSON; null for `[DONE]` and comments. */
export type SseEvent = { readonly raw: string; readonly data: Record<string, unknown> | null }

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new BadAnswer('the answer is not JSON')
}

/** Puts bytes together to events. Time is proportional to the bytes, however they are cut. */
class EventReader {
  readonly #decoder = new TextDecoder()
  /** The beginning of a line. */
  #pieces: string[] = []
  #lines: string[] = []
  #data: string[] = []
  #chars = 0

  read(bytes: Uint8Array): SseEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#chars += text.length
    const events: SseEvent[] = []
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#pieces.push(text.slice(from, end))
      from = end + 1
      const event = this.#take(this.#pieces.join(''))
      this.#pieces = []
      if (event === null) continue
      events.push(event)
      this.#chars = text.length - from
    }
    if (from < text.length) this.#pieces.push(text.slice(from))
    if (this.#chars > MAX_EVENT_CHARS) throw new BadAnswer('an event of the answer is too long')
    return events
  }

  /** The event that no empty line ends, as some servers leave it. */
  rest(): SseEvent | null {
    this.#take(this.#pieces.join(''))
    return this.#take('')
  }

  /** Takes a line. An empty one ends the event. */
  #take(sent: string): SseEvent | null {
    const line = sent.endsWith('\r') ? sent.slice(0, -1) : sent
    if (line !== '') {
      this.#lines.push(line)
      if (line.startsWith('data:')) this.#data.push(line.slice(5).trim())
      return null
    }
    if (this.#lines.length === 0) return null
    const raw = `${this.#lines.join('\n')}\n\n`
    const text = this.#data.join('\n')
    this.#lines = []
    this.#data = []
    return { raw, data: text === '' || text === '[DONE]' ? null : parseObject(text) }
  }
}

/** The events of a stream, all that came together at once. Throws `BadAnswer`. */
export async function* eventsOfStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly SseEvent[]> {
  const reader = new EventReader()
  for await (const bytes of body) {
    const events = reader.read(bytes)
    if (events.length > 0) yield events
  }
  const last = reader.rest()
  if (last !== null) yield [last]
}

/** The data of the events of a stream. Throws `BadAnswer`. */
export async function* dataOf(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, unknown>> {
  for await (const events of eventsOfStream(body))
    for (const { data } of events) if (data !== null) yield data
}
