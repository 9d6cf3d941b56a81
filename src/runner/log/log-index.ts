/**
 * The index of a log that grows: records of line number, byte offset and time, in the order of the
 * lines. A record stands at least at every 1,024th line, and where the time changes. So a page of a
 * log is read without reading what is before it, and lines carry no time of their own.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'

/** The first line of a stretch. Lines count from 0. */
export type LogRecord = { readonly line: number; readonly offset: number; readonly at: number }

/** A stretch of a log has at most so many lines. */
export const STRETCH_LINES = 1_024

/** Three numbers of eight bytes. */
const RECORD_BYTES = 24

const encode = (records: readonly LogRecord[]): Uint8Array => {
  const numbers = records.flatMap(({ line, offset, at }) => [line, offset, at])
  return new Uint8Array(Float64Array.from(numbers).buffer)
}

export const appendRecords = (file: number, records: readonly LogRecord[]): void => {
  if (records.length > 0) writeSync(file, encode(records))
}

function readRecord(file: number, position: number): LogRecord {
  const numbers = new Float64Array(3)
  readSync(file, numbers, 0, RECORD_BYTES, position * RECORD_BYTES)
  const [line = 0, offset = 0, at = 0] = numbers
  return { line, offset, at }
}

/**
 * The records from the one that covers `from` to the last that begins before `to`. Empty when the
 * log has none.
 */
export function readRecords(path: string, from: number, to: number): LogRecord[] {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return []
  }
  try {
    const count = Math.floor(fstatSync(file).size / RECORD_BYTES)
    let low = 0
    let high = count
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (readRecord(file, middle).line <= from) low = middle
      else high = middle
    }
    const records: LogRecord[] = []
    for (let position = low; position < count; position++) {
      const record = readRecord(file, position)
      if (records.length > 0 && record.line >= to) break
      records.push(record)
    }
    return records
  } finally {
    closeSync(file)
  }
}

/** The length of the index up to the last record that begins before `line` (from 0). */
export const bytesOfRecords = (path: string, line: number): number =>
  readRecords(path, 0, line).length * RECORD_BYTES
