/**
 * Reads request bodies: complete ones up to a limit, or packet by packet with the rest as blocks.
 */
import { release } from '#lib/pieces.ts'
import { GitError } from '../ports.ts'
import { packetLength, type Packet } from './pkt-line.ts'

/** The complete body. Throws GitError `too_large` above `limit` bytes. */
export async function readBody(
  body: ReadableStream<Uint8Array> | Uint8Array | null,
  limit: number,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0)
  if (body instanceof Uint8Array) return body
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > limit) throw new GitError('too_large', `the request is larger than ${limit} bytes`)
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** A body that is read in packets first and in blocks afterwards. */
export class BodyReader {
  private readonly reader: {
    read(): Promise<{ done: boolean; value?: Uint8Array }>
    cancel(): Promise<void>
  } | null
  private held: Uint8Array = new Uint8Array(0)
  private ended: boolean
  /** The read under way, which outlives a `block` that did not wait for it. */
  private reading: Promise<boolean> | null = null

  constructor(body: ReadableStream<Uint8Array> | Uint8Array | null) {
    const stream = body instanceof Uint8Array ? null : body
    if (body instanceof Uint8Array) this.held = body
    this.reader = stream === null ? null : (stream.getReader() as never)
    this.ended = stream === null
  }

  /**
   * The next packet; null at the end. Throws GitError `invalid` for a malformed or truncated body.
   */
  async packet(): Promise<Packet | null> {
    if (!(await this.need(4))) {
      if (this.held.length > 0) throw new GitError('invalid', 'the request is cut off')
      return null
    }
    const length = packetLength(this.held, 0)
    if (length >= 0 && length <= 2) {
      this.held = this.held.subarray(4)
      return { kind: length === 0 ? 'flush' : length === 1 ? 'delim' : 'end' }
    }
    if (length < 4) throw new GitError('invalid', 'the request is not made of pkt-lines')
    if (!(await this.need(length))) throw new GitError('invalid', 'the request is cut off')
    const data = Buffer.from(this.held.slice(4, length))
    this.held = this.held.subarray(length)
    return { kind: 'data', data }
  }

  /**
   * The next up to `size` bytes of the rest, in a new buffer; null at the end. With `idleMs`, what
   * is there is returned when nothing follows for so long.
   */
  async block(size: number, idleMs: number | null = null): Promise<Uint8Array | null> {
    const block = new Uint8Array(size)
    let at = 0
    while (at < size) {
      if (this.held.length === 0) {
        const more = this.more()
        if (at > 0 && idleMs !== null && (await isSlower(more, idleMs))) break
        if (!(await more)) break
        continue
      }
      const part = this.held.subarray(0, size - at)
      block.set(part, at)
      at += part.length
      const last = this.held
      this.held = last.subarray(part.length)
      // The chunk is no longer used: its bytes have been copied.
      if (this.held.length === 0 && this.reader !== null) release(last)
    }
    if (at === 0) return null
    return at === size ? block : block.slice(0, at)
  }

  /** Whether everything has been read. */
  get isOver(): boolean {
    return this.ended && this.held.length === 0
  }

  /** Whether the body continues. */
  async hasMore(): Promise<boolean> {
    return await this.need(1)
  }

  /** Reads and drops up to `limit` bytes, so that the client gets to read the response. */
  async drain(limit: number): Promise<void> {
    let size = 0
    do {
      size += this.held.length
      this.held = new Uint8Array(0)
    } while (size < limit && (await this.more()))
  }

  async cancel(): Promise<void> {
    this.ended = true
    await this.reader?.cancel().catch(() => {})
  }

  private async need(count: number): Promise<boolean> {
    while (this.held.length < count) if (!(await this.more())) return false
    return true
  }

  private more(): Promise<boolean> {
    return (this.reading ??= this.readMore().finally(() => {
      this.reading = null
    }))
  }

  private async readMore(): Promise<boolean> {
    if (this.ended || this.reader === null) return false
    const { done, value } = await this.reader.read()
    if (done || value === undefined) {
      this.ended = true
      return false
    }
    this.held = this.held.length === 0 ? value : Buffer.concat([this.held, value])
    return true
  }
}

/** Whether a promise takes longer than a time. */
async function isSlower(promise: Promise<unknown>, timeMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(true), timeMs)
  try {
    return await Promise.race([promise.then(() => false), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
