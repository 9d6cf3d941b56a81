/** What an executable that Bun made holds beside Bun itself. */
import { readFileSync } from 'node:fs'

/** Sizes in bytes. */
export type Part = {
  readonly name: string
  readonly source: number
  /** Whether the source takes two bytes for each character, because one is beyond Latin-1. */
  readonly isWide: boolean
  readonly map: number
}

export type Parts = {
  readonly total: number
  readonly runtime: number
  /** Of all parts, and of the modules of Bun that they use. */
  readonly bytecode: number
  readonly list: readonly Part[]
}

const END = '\n---- Bun! ----\n'
/** The record before the end: 64 bits for the size of everything, then places of 32 bits. */
const TRAILER_BYTES = 32
/** Name, source, map, bytecode and two more as offset and length; then four bytes of marks. */
const RECORD_BYTES = 52
const WIDE = 2

/** Throws an Error for a file that is no such executable of the Bun that is pinned. */
export function partsOf(executable: string): Parts {
  const file = readFileSync(executable)
  const end = file.lastIndexOf(END)
  if (end < 0) throw new Error(`${executable} was not made by bun build --compile`)
  const trailer = file.subarray(end - TRAILER_BYTES, end)
  const size = Number(trailer.readBigUInt64LE(0))
  const start = end - TRAILER_BYTES - size
  const [at, length] = [trailer.readUInt32LE(8), trailer.readUInt32LE(12)]
  if (length % RECORD_BYTES !== 0) throw new Error('this Bun writes another kind of record')
  const list = Array.from({ length: length / RECORD_BYTES }, (_, index): Part => {
    const record = file.subarray(start + at + index * RECORD_BYTES)
    const name = record.readUInt32LE(0)
    return {
      name: file.toString('utf8', start + name, start + name + record.readUInt32LE(4)),
      source: record.readUInt32LE(12),
      isWide: record[48] === WIDE,
      map: record.readUInt32LE(20),
    }
  })
  const known = list.reduce((sum, { source, map }) => sum + source + map, 0)
  return { total: file.length, runtime: file.length - size, bytecode: size - known, list }
}
