/** Reads files of JSON lines from any offset. Lines, and the values in them, are bounded. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { findJsonExcess } from '#lib/parse-json.ts'
import { Fields } from '../forges/fields.ts'
import { ForgeError } from '../forges/forge-client.ts'

/** A record with a thousand long comments. */
const MAX_LINE_BYTES = 64 << 20
const JSON_LIMITS = { maxDepth: 64, maxValues: 2_000_000 }
const CHUNK_BYTES = 1 << 20
const NEW_LINE = 10

export type RecordFile = 'labels' | 'milestones' | 'issues' | 'pulls' | 'releases'

export type Line = {
  readonly record: Fields
  readonly offset: number
  /** Where the next line begins; null after the last. */
  readonly next: number | null
}

function parseLine(bytes: Buffer, place: string): Fields {
  if (findJsonExcess(bytes, JSON_LIMITS) !== null)
    throw new ForgeError(`${place} holds too many values`, 200)
  try {
    return new Fields(JSON.parse(bytes.toString('utf8')))
  } catch {
    throw new ForgeError(`${place} is not JSON`, 200)
  }
}

/** The lines of a file from an offset on; nothing when there is no such file. */
export function* readLines(
  directory: string,
  file: RecordFile,
  offset: number,
): Generator<Line, void, void> {
  const name = `${file}.jsonl`
  let descriptor: number
  try {
    descriptor = openSync(join(directory, name), 'r')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return
    throw error
  }
  try {
    const { size } = fstatSync(descriptor)
    let start = offset
    while (start < size) {
      const line = readLine(descriptor, start, size)
      if (line === null) throw new ForgeError(`a line of ${name} is too long`, 200)
      const end = start + line.length + 1
      if (line.length > 0)
        yield {
          record: parseLine(line, `${name}, byte ${start}`),
          offset: start,
          next: end < size ? end : null,
        }
      start = end
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The bytes from `start` to the next line end; null when there are too many. */
function readLine(descriptor: number, start: number, size: number): Buffer | null {
  const chunks: Buffer[] = []
  let length = 0
  for (let at = start; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at))
    const read = readSync(descriptor, chunk, 0, chunk.length, at)
    if (read === 0) break
    const end = chunk.subarray(0, read).indexOf(NEW_LINE)
    chunks.push(chunk.subarray(0, end < 0 ? read : end))
    length += end < 0 ? read : end
    if (length > MAX_LINE_BYTES) return null
    if (end >= 0) break
    at += read
  }
  return Buffer.concat(chunks)
}
