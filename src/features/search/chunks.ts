/**
 * Texts are kept in chunks of whole lines. Nothing that is looked for goes over the end of a line,
 * so each chunk is a text of its own to the index. The id of a chunk holds that of its blob, so the
 * chunks of a blob are in a row and neither needs a table to be found.
 */

/**
 * A chunk ends with the first line that brings it to this size, in bytes; so a file of 1 MiB has at
 * most 64.
 */
const CHUNK = 16 * 1024
export const CHUNKS_OF_BLOB = 64

export const blobOf = (chunk: number): number => Math.floor(chunk / CHUNKS_OF_BLOB)
export const firstChunk = (blob: number): number => blob * CHUNKS_OF_BLOB

const LINE_END = 10

/** The chunks of a text, in order; together they are the text. */
export function* chunksOf(data: Uint8Array): Generator<Uint8Array> {
  let from = 0
  for (let count = 1; from < data.length; count++) {
    const end =
      count === CHUNKS_OF_BLOB
        ? -1
        : data.indexOf(LINE_END, Math.min(data.length, from + CHUNK - 1))
    const to = end < 0 ? data.length : end + 1
    yield data.subarray(from, to)
    from = to
  }
}

const decoder = new TextDecoder()

/** A text that has one character for each byte, as people read it. */
export const asText = (bytes: string): string =>
  /[^\0-\x7f]/.test(bytes) ? decoder.decode(Buffer.from(bytes, 'latin1')) : bytes
