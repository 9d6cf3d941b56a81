/**
 * Deflating many small pieces: making zlib's state anew for each costs more than the work itself,
 * so one handle is used again and again, as in `inflate.ts`. It is proven by a self-test, else the
 * public function stands in.
 */
import zlib from 'node:zlib'
import { copyBytes } from './copy-bytes.ts'

/** Pieces of more bytes go to the public function: for them its cost is lost in the noise. */
const SMALL = 1 << 16

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

class HandleDeflater {
  private readonly handle: Handle
  private readonly state: Uint32Array
  private readonly out = Buffer.allocUnsafeSlow(SMALL + 1024)
  private failed = false
  /** Keeps the stream that owns the handle alive. */
  private readonly owner: unknown

  constructor(level: number) {
    const owner = zlib.createDeflate({ level }) as unknown as {
      _handle: Handle
      _writeState: Uint32Array
    }
    this.owner = owner
    this.handle = owner._handle
    this.state = owner._writeState
    this.handle.onerror = () => {
      this.failed = true
    }
    if (
      !(this.state instanceof Uint32Array) ||
      typeof this.handle.writeSync !== 'function' ||
      !this.owner
    )
      throw new Error('no handle')
  }

  /** A view that is valid until the next call; null when it cannot be done here. */
  run(data: Uint8Array): Buffer | null {
    this.failed = false
    this.handle.reset()
    this.handle.writeSync(
      zlib.constants.Z_FINISH,
      data,
      0,
      data.length,
      this.out,
      0,
      this.out.length,
    )
    const room = this.state[0]!
    if (this.failed || this.state[1] !== 0 || room === 0) return null
    return this.out.subarray(0, this.out.length - room)
  }
}

function proven(level: number): HandleDeflater | null {
  try {
    const deflater = new HandleDeflater(level)
    for (const text of ['', 'pack my box with five dozen liquor jugs '.repeat(60), 'x']) {
      const data = Buffer.from(text)
      const made = deflater.run(data)
      if (made === null || Buffer.compare(copyBytes(made), zlib.deflateSync(data, { level })) !== 0)
        return null
    }
    return deflater
  } catch {
    return null
  }
}

const deflaters = new Map<number, HandleDeflater | null>()

/** The zlib stream of some bytes; a view that is valid until the next call on this thread. */
export function deflate(data: Uint8Array, level: number): Buffer {
  if (data.length > SMALL) return zlib.deflateSync(data, { level })
  let deflater = deflaters.get(level)
  if (deflater === undefined) deflaters.set(level, (deflater = proven(level)))
  return deflater?.run(data) ?? zlib.deflateSync(data, { level })
}
