/**
 * Inflating zlib streams whose end is not known beforehand, as packs need it. The fast way is
 * zlib's own reusable handle, which the runtime keeps behind `zlib.createInflate()`; it is proven
 * by a self-test at first use, and the public `inflateSync({ info: true })` stands in where the
 * test fails.
 */
import zlib from 'node:zlib'
import { GitError } from '../ports.ts'

const FINISH = zlib.constants.Z_FINISH
const SYNC = zlib.constants.Z_SYNC_FLUSH

/**
 * Inflates one stream at a time. After `step`, `consumed` and `produced` say how far it came, and
 * `ended` whether the stream is complete, checksum included.
 */
export interface Inflater {
  consumed: number
  produced: number
  ended: boolean
  /** Forgets the stream at hand. */
  begin(): void
  /**
   * Feeds input; output goes to `out` from `outFrom`, never past `outTo`. `more` says whether input
   * may follow.
   */
  step(
    src: Uint8Array,
    from: number,
    to: number,
    out: Uint8Array,
    outFrom: number,
    outTo: number,
    more: boolean,
  ): void
  /**
   * Inflates a whole stream of exactly `size` bytes into `out`, which must have one spare byte
   * after them; gives the count of input bytes. Throws GitError `corrupt` when the stream is
   * damaged, short or long.
   */
  whole(
    src: Uint8Array,
    from: number,
    to: number,
    out: Uint8Array,
    outFrom: number,
    size: number,
  ): number
}

type Handle = {
  reset(): void
  onerror: (message: string, errno: number, code: string) => void
  writeSync(
    flush: number,
    src: Uint8Array,
    from: number,
    length: number,
    out: Uint8Array,
    outFrom: number,
    outLength: number,
  ): void
}

const damaged = (what: string) => new GitError('corrupt', `compressed data: ${what}`)

class HandleInflater implements Inflater {
  consumed = 0
  produced = 0
  ended = false
  private readonly handle: Handle
  private readonly state: Uint32Array
  private failure: string | null = null
  /** Keeps the stream that owns the handle alive. */
  private readonly owner: unknown

  constructor() {
    const owner = zlib.createInflate() as unknown as { _handle: Handle; _writeState: Uint32Array }
    this.owner = owner
    this.handle = owner._handle
    this.state = owner._writeState
    this.handle.onerror = (message) => {
      this.failure = message
    }
    if (
      !(this.state instanceof Uint32Array) ||
      typeof this.handle.writeSync !== 'function' ||
      !this.owner
    )
      throw new Error('no handle')
  }

  begin(): void {
    this.failure = null
    this.ended = false
    this.handle.reset()
  }

  step(
    src: Uint8Array,
    from: number,
    to: number,
    out: Uint8Array,
    outFrom: number,
    outTo: number,
  ): void {
    this.handle.writeSync(SYNC, src, from, to - from, out, outFrom, outTo - outFrom)
    if (this.failure !== null) throw damaged(this.failure)
    const roomLeft = this.state[0]!
    const inputLeft = this.state[1]!
    this.consumed = to - from - inputLeft
    this.produced = outTo - outFrom - roomLeft
    // zlib stops early for two reasons only: the output is full or the stream has ended.
    this.ended = inputLeft > 0 && roomLeft > 0
  }

  whole(
    src: Uint8Array,
    from: number,
    to: number,
    out: Uint8Array,
    outFrom: number,
    size: number,
  ): number {
    this.failure = null
    this.handle.reset()
    this.handle.writeSync(FINISH, src, from, to - from, out, outFrom, size + 1)
    if (this.failure !== null) throw damaged(this.failure)
    if (this.state[0] !== 1) throw damaged('size differs from the one announced')
    return to - from - this.state[1]!
  }
}

class PlainInflater implements Inflater {
  consumed = 0
  produced = 0
  ended = false
  /**
   * Input of the stream at hand that did not suffice yet; it is tried again with every further
   * piece.
   */
  private held: Uint8Array = new Uint8Array(0)
  private result: Uint8Array | null = null
  private given = 0

  begin(): void {
    this.held = new Uint8Array(0)
    this.result = null
    this.given = 0
    this.ended = false
  }

  step(
    src: Uint8Array,
    from: number,
    to: number,
    out: Uint8Array,
    outFrom: number,
    outTo: number,
    more: boolean,
  ): void {
    this.consumed = 0
    if (this.result === null) {
      const before = this.held.length
      this.held = Buffer.concat([this.held, src.subarray(from, to)])
      this.consumed = to - from
      this.produced = 0
      const done = inflateCounted(this.held, 0, this.held.length, 2 ** 31 - 1, more)
      if (done === null) return
      this.result = done.data
      this.consumed = Math.max(0, done.consumed - before)
    }
    const part = this.result.subarray(this.given, this.given + outTo - outFrom)
    out.set(part, outFrom)
    this.given += part.length
    this.produced = part.length
    this.ended = this.given === this.result.length
  }

  whole(
    src: Uint8Array,
    from: number,
    to: number,
    out: Uint8Array,
    outFrom: number,
    size: number,
  ): number {
    const done = inflateCounted(src, from, to, size + 1, false)
    if (done === null || done.data.length !== size)
      throw damaged('size differs from the one announced')
    out.set(done.data, outFrom)
    return done.consumed
  }
}

type Counted = { data: Uint8Array; consumed: number }

function inflateCounted(
  src: Uint8Array,
  from: number,
  to: number,
  limit: number,
  more: boolean,
): Counted | null {
  try {
    const options = { info: true, maxOutputLength: limit } as zlib.ZlibOptions
    const { buffer, engine } = zlib.inflateSync(src.subarray(from, to), options) as unknown as {
      buffer: Uint8Array
      engine: { bytesWritten: number }
    }
    return { data: buffer, consumed: engine.bytesWritten }
  } catch (error) {
    const code = (error as { code?: string }).code
    if (more && code === 'Z_BUF_ERROR') return null
    throw damaged(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Whether the handle does what this module counts on, tried on a good, a cut and a damaged stream.
 */
function handleWorks(): boolean {
  try {
    const text = Buffer.from('pack my box with five dozen liquor jugs '.repeat(40))
    const good = zlib.deflateSync(text)
    const out = new Uint8Array(text.length + 1)
    const inflater = new HandleInflater()
    const padded = Buffer.concat([Buffer.from('ab'), good, Buffer.from('tail')])
    for (let i = 0; i < 2; i++) {
      out.fill(0)
      if (inflater.whole(padded, 2, padded.length, out, 0, text.length) !== good.length)
        return false
      if (Buffer.compare(out.subarray(0, text.length), text) !== 0) return false
    }
    const refuses = (bytes: Uint8Array, size: number) => {
      try {
        inflater.whole(bytes, 0, bytes.length, new Uint8Array(size + 1), 0, size)
        return false
      } catch (error) {
        return error instanceof GitError
      }
    }
    const bad = Buffer.from(good)
    bad[good.length - 1]! ^= 1
    if (!refuses(good.subarray(0, good.length - 5), text.length) || !refuses(bad, text.length))
      return false
    if (!refuses(good, text.length - 1) || !refuses(good, text.length + 1)) return false
    inflater.begin()
    inflater.step(good, 0, 10, out, 0, out.length)
    const first = inflater.produced
    if (inflater.ended || inflater.consumed !== 10) return false
    inflater.step(padded, 12, padded.length, out, first, out.length)
    return (
      inflater.ended &&
      inflater.consumed === good.length - 10 &&
      first + inflater.produced === text.length
    )
  } catch {
    return false
  }
}

let proven: boolean | null = null

/** A new inflater; `kind` is for tests only. */
export function makeInflater(kind?: 'handle' | 'plain'): Inflater {
  proven ??= handleWorks()
  return (kind ?? (proven ? 'handle' : 'plain')) === 'handle'
    ? new HandleInflater()
    : new PlainInflater()
}
