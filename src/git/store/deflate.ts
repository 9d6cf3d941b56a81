/**
 * Deflates many small pieces. Creating zlib's state costs more than deflating a small piece, so one
 * handle is reused, as in `inflate.ts`. A self-test verifies the handle; when it fails, the public
 * function is used.
 */
import zlib from 'node:zlib'
import { copyBytes } from './copy-bytes.ts'

/** Larger pieces use the public function: its fixed cost is negligible for them. */
const MAX_HANDLE_BYTES = 1 << 16

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

class HandleDeflater {
  private readonly handle: ZlibHandle
  private readonly state: Uint32Array
  private readonly out = Buffer.allocUnsafeSlow(MAX_HANDLE_BYTES + 1024)
  private failed = false
  /** Keeps a reference to the stream that owns the handle, so that it is not collected. */
  private readonly owner: unknown

  constructor(level: number) {
    const owner = zlib.createDeflate({ level }) as unknown as {
      _handle: ZlibHandle
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

  /** Returns a view that is valid until the next call, or null when the result does not fit. */
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

function createVerified(level: number): HandleDeflater | null {
  try {
    const deflater = new HandleDeflater(level)
    for (const text of ['', 'pack my box with five dozen liquor jugs '.repeat(60), 'x']) {
      const data = Buffer.from(text)
      const deflated = deflater.run(data)
      if (
        deflated === null ||
        Buffer.compare(copyBytes(deflated), zlib.deflateSync(data, { level })) !== 0
      )
        return null
    }
    return deflater
  } catch {
    return null
  }
}

/** Reuses one verified handle for each compression level. One thread has one deflater. */
export class Deflater {
  private readonly handles = new Map<number, HandleDeflater | null>()

  /** Returns the zlib stream of some bytes, as a view that is valid until the next call. */
  deflate(data: Uint8Array, level: number): Buffer {
    if (data.length > MAX_HANDLE_BYTES) return zlib.deflateSync(data, { level })
    let handle = this.handles.get(level)
    if (handle === undefined) this.handles.set(level, (handle = createVerified(level)))
    return handle?.run(data) ?? zlib.deflateSync(data, { level })
  }
}
