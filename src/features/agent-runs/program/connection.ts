/**
 * The client's side of the Agent Client Protocol: JSON-RPC 2.0, one message a line
 * (https://agentclientprotocol.com). The program is not trusted: lines and messages are bounded, and
 * what it asks is answered in turn, so one that asks for ever is not answered faster than it reads.
 */
import { isObject } from '#lib/json-value.ts'
import { nextTurn } from '#lib/waiting.ts'

export type Json = Record<string, unknown>

/** What went wrong, for people. */
export class ProgramFault extends Error {
  constructor(
    message: string,
    /** Whether its output has ended. */
    readonly isEnd = false,
  ) {
    super(message)
  }
}

/** An answer of the program that is an error. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

export type ProgramClient = {
  /** Throws `RpcError` for what is refused. */
  request(method: string, params: Json): Promise<unknown>
  notified(method: string, params: Json): Promise<void> | void
}

const MAX_LINE_BYTES = 4 * 1024 ** 2
const MAX_MESSAGES_PER_SECOND = 2_000
/** Of all messages of one connection. */
const MAX_TOTAL_BYTES = 512 * 1024 ** 2
const MAX_BAD_LINES = 3
/** Requests of the program that have no answer yet. */
const MAX_OPEN_REQUESTS = 32
const MAX_ERROR_CHARS = 500
const METHOD_NOT_FOUND = -32601
const INTERNAL_ERROR = -32603
const NEWLINE = 10

export const methodNotFound = (method: string): RpcError =>
  new RpcError(METHOD_NOT_FOUND, `${method.slice(0, 100)} is not offered`)

/** Cuts bytes into lines. Throws `ProgramFault` for more than a program has to say. */
export class LineReader {
  #rest: Uint8Array[] = []
  #restBytes = 0
  #total = 0;

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    this.#total += chunk.length
    if (this.#total > MAX_TOTAL_BYTES)
      throw new ProgramFault(`it wrote more than ${MAX_TOTAL_BYTES / 1024 ** 2} MiB`)
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, at)
      from = at + 1
      this.#requireShort(part.length)
      const line = this.#restBytes === 0 ? part : Buffer.concat([...this.#rest, part])
      this.#rest = []
      this.#restBytes = 0
      yield line
    }
    const part = chunk.subarray(from)
    this.#requireShort(part.length)
    if (part.length === 0) return
    this.#rest.push(part)
    this.#restBytes += part.length
  }

  #requireShort(more: number): void {
    if (this.#restBytes + more > MAX_LINE_BYTES)
      throw new ProgramFault(`it wrote a line of more than ${MAX_LINE_BYTES / 1024 ** 2} MiB`)
  }
}

type Pending = { resolve(value: unknown): void; reject(error: Error): void }

export class ProgramConnection {
  readonly #pending = new Map<number, Pending>()
  readonly #decoder = new TextDecoder()
  #nextId = 1
  #badLines = 0
  #openRequests = 0
  #second = 0
  #inSecond = 0
  #fault: Error | null = null

  constructor(
    private readonly write: (text: string) => Promise<void>,
    private readonly client: ProgramClient,
    /** Called with each message, to see that the program is alive. */
    private readonly onMessage: () => void = () => {},
  ) {}

  /** Reads until the output ends. Throws `ProgramFault`. Open requests fail with the connection. */
  async read(output: ReadableStream<Uint8Array>): Promise<void> {
    const lines = new LineReader()
    const reader = output.getReader()
    try {
      for (;;) {
        const part = await reader.read()
        if (part.done) throw new ProgramFault('it ended', true)
        for (const line of lines.push(part.value)) await this.#take(line)
        await nextTurn()
      }
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
      throw error
    } finally {
      void reader.cancel().catch(() => {})
    }
  }

  /** Fails all open requests and those to come. */
  fail(error: Error): void {
    this.#fault ??= error
    for (const { reject } of this.#pending.values()) reject(this.#fault)
    this.#pending.clear()
  }

  async call(method: string, params: Json): Promise<unknown> {
    if (this.#fault) throw this.#fault
    const id = this.#nextId++
    const answer = Promise.withResolvers<unknown>()
    this.#pending.set(id, answer)
    // The program may end before it has read the request.
    this.#send({ id, method, params }).catch((error: unknown) =>
      this.fail(error instanceof Error ? error : new Error(String(error))),
    )
    return answer.promise
  }

  notify(method: string, params: Json): Promise<void> {
    return this.#send({ method, params })
  }

  #send(message: Json): Promise<void> {
    return this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  async #take(line: Uint8Array): Promise<void> {
    const text = this.#decoder.decode(line).trim()
    if (text === '') return
    this.#countMessage()
    const message = this.#parse(text)
    if (message === null) return
    this.onMessage()
    const { id, method } = message
    const params = isObject(message.params) ? message.params : {}
    if (typeof method !== 'string') return this.#settle(message)
    if (id === undefined || id === null) return await this.client.notified(method, params)
    if (++this.#openRequests > MAX_OPEN_REQUESTS)
      throw new ProgramFault(`it asked for more than ${MAX_OPEN_REQUESTS} things at once`)
    void this.#answer(id, method, params)
      .catch(() => {})
      .finally(() => this.#openRequests--)
    // A program that only asks must leave turns to the rest of the server.
    await nextTurn()
  }

  async #answer(id: unknown, method: string, params: Json): Promise<void> {
    try {
      const result = await this.client.request(method, params)
      await this.#send({ id, result })
    } catch (error) {
      const { code, message } =
        error instanceof RpcError
          ? error
          : { code: INTERNAL_ERROR, message: 'it could not be done' }
      await this.#send({ id, error: { code, message } })
    }
  }

  #settle({ id, result, error }: Json): void {
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined
    if (typeof id !== 'number' || !pending) return
    this.#pending.delete(id)
    if (!isObject(error)) return pending.resolve(result)
    const code = typeof error.code === 'number' ? error.code : INTERNAL_ERROR
    pending.reject(new RpcError(code, describe(error)))
  }

  #parse(text: string): Json | null {
    try {
      const message: unknown = JSON.parse(text)
      if (isObject(message)) return message
    } catch {
      // Counted below.
    }
    if (++this.#badLines >= MAX_BAD_LINES)
      throw new ProgramFault('it writes lines that are not messages of the protocol')
    return null
  }

  #countMessage(): void {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0]
    if (++this.#inSecond > MAX_MESSAGES_PER_SECOND)
      throw new ProgramFault(`it sent more than ${MAX_MESSAGES_PER_SECOND} messages in a second`)
  }
}

/** The text of an error, with the details that some programs put beside it. */
function describe({ message, data }: Json): string {
  const text = typeof message === 'string' ? message : 'an error'
  const more = isObject(data) && typeof data.details === 'string' ? `: ${data.details}` : ''
  return `${text}${more}`.slice(0, MAX_ERROR_CHARS)
}
