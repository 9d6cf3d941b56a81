/**
 * Divides texts into chunks of whole lines. No search matches across lines, so the index treats
 * each chunk as a text of its own. A chunk's id contains the id of its blob, so the chunks of a
 * blob have consecutive ids and no table is needed to find them.
 */

/**
 * A chunk ends with the first line that brings it to this size. A file of 1 MiB therefore has at
 * most 64 chunks.
 */
const CHUNK_BYTES = 16 * 1024
export const MAX_CHUNKS_PER_BLOB = 64

export const blobOf = (chunk: number): number => Math.floor(chunk / MAX_CHUNKS_PER_BLOB)
export const firstChunk = (blob: number): number => blob * MAX_CHUNKS_PER_BLOB

const LINE_END = 10

/** Yields the chunks of a text in order. Joined they are the text. */
export function* splitChunks(data: Uint8Array): Generator<Uint8Array> {
  let from = 0
  for (let count = 1; from < data.length; count++) {
    const end =
      count === MAX_CHUNKS_PER_BLOB
        ? -1
        : data.indexOf(LINE_END, Math.min(data.length, from + CHUNK_BYTES - 1))
    const to = end < 0 ? data.length : end + 1
    yield data.subarray(from, to)
    from = to
  }
}

const decoder = new TextDecoder()

/** Decodes a text with one character per byte (latin1) as UTF-8. */
export const decodeBytes = (bytes: string): string =>
  /[^\0-\x7f]/.test(bytes) ? decoder.decode(Buffer.from(bytes, 'latin1')) : bytes
