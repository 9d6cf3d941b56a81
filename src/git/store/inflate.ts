/**
 * Inflates zlib streams of unknown length, as packs contain them. The fast way is zlib's reusable
 * handle, which the runtime hides behind `zlib.createInflate()`. A self-test verifies the handle.
 * When it fails, the public `inflateSync({ info: true })` is used.
 */
import zlib from 'node:zlib'
import { lazy } from '#lib/lazy.ts'
import { GitError } from '../ports.ts'

const Z_FINISH = zlib.constants.Z_FINISH
const Z_SYNC_FLUSH = zlib.constants.Z_SYNC_FLUSH

/**
 * Inflates one stream at a time. After `step`, `consumed` and `produced` are its byte counts, and
 * `ended` says whether the stream is complete and its checksum correct.
 */
export interface Inflater {
  consumed: number
  produced: number
  ended: boolean
  /** Starts a new stream. */
  begin(): void
  /**
   * Inflates input to `out` from `outFrom`, at most up to `outTo`. `more` says whether further
   * input may follow.
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
   * after them. Returns the number of input bytes. Throws GitError `corrupt` for a damaged, short
   * or long stream.
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

type ZlibHandle = {
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

const corruptData = (what: string) => new GitError('corrupt', `compressed data: ${what}`)

class HandleInflater implements Inflater {
  consumed = 0
  produced = 0
  ended = false
  private readonly handle: ZlibHandle
  private readonly state: Uint32Array
  private failure: string | null = null
  /** Keeps a reference to the stream that owns the handle, so that it is not collected. */
  private readonly owner: unknown

  constructor() {
    const owner = zlib.createInflate() as unknown as {
      _handle: ZlibHandle
      _writeState: Uint32Array
    }
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
    this.handle.writeSync(Z_SYNC_FLUSH, src, from, to - from, out, outFrom, outTo - outFrom)
    if (this.failure !== null) throw corruptData(this.failure)
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
    this.handle.writeSync(Z_FINISH, src, from, to - from, out, outFrom, size + 1)
    if (this.failure !== null) throw corruptData(this.failure)
    if (this.state[0] !== 1) throw corruptData('size differs from the one announced')
    return to - from - this.state[1]!
  }
}

class PublicApiInflater implements Inflater {
  consumed = 0
  produced = 0
  ended = false
  /** Incomplete input of the current stream. It is inflated again with each further piece. */
  private pendingInput: Uint8Array = new Uint8Array(0)
  private result: Uint8Array | null = null
  private givenBytes = 0

  begin(): void {
    this.pendingInput = new Uint8Array(0)
    this.result = null
    this.givenBytes = 0
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
      const before = this.pendingInput.length
      this.pendingInput = Buffer.concat([this.pendingInput, src.subarray(from, to)])
      this.consumed = to - from
      this.produced = 0
      const done = inflateCounted(this.pendingInput, 0, this.pendingInput.length, 2 ** 31 - 1, more)
      if (done === null) return
      this.result = done.data
      this.consumed = Math.max(0, done.consumed - before)
    }
    const part = this.result.subarray(this.givenBytes, this.givenBytes + outTo - outFrom)
    out.set(part, outFrom)
    this.givenBytes += part.length
    this.produced = part.length
    this.ended = this.givenBytes === this.result.length
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
      throw corruptData('size differs from the one announced')
    out.set(done.data, outFrom)
    return done.consumed
  }
}

type InflatedData = { data: Uint8Array; consumed: number }

function inflateCounted(
  src: Uint8Array,
  from: number,
  to: number,
  limit: number,
  more: boolean,
): InflatedData | null {
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
    throw corruptData(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Whether the handle behaves as this module expects, with an intact, a truncated and a damaged
 * stream.
 */
function selfTestHandle(): boolean {
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

/**
 * The self-test takes 2 to 4 ms, once for each thread. It runs at the first use, so that neither
 * the start nor a command without objects waits for it.
 */
const isHandleUsable = lazy(selfTestHandle)

/** Creates an inflater. Only tests pass `kind`. */
export function createInflater(kind?: 'handle' | 'plain'): Inflater {
  return (kind ?? (isHandleUsable() ? 'handle' : 'plain')) === 'handle'
    ? new HandleInflater()
    : new PublicApiInflater()
}
