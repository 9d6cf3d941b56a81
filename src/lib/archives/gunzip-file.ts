/** Unpacks files within a number of bytes, because a small archive can unpack to a full disk. */
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

/** Passes a stream on. Throws when it has more than `maxBytes` bytes. */
export async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const part of source) {
    size += part.length
    if (size > maxBytes) throw new Error(`it unpacks to more than ${maxBytes} bytes`)
    yield part
  }
}

/**
 * Yields what a gzip file unpacks to. Throws when that is more than `maxBytes` bytes. The file is
 * closed when the generator ends or returns.
 */
export async function* gunzipFile(path: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  const packed = createReadStream(path)
  const unpacked = packed.pipe(createGunzip())
  // `pipe` passes no errors on, and an error that nobody listens to ends the process.
  packed.on('error', (error) => unpacked.destroy(error))
  try {
    yield* limitBytes(unpacked, maxBytes)
  } finally {
    packed.destroy()
    unpacked.destroy()
  }
}
