import { expect, test } from 'bun:test'
import { FileWriter, type PieceFile } from '#lib/file-writer.ts'

/** A file that takes at most so many bytes of each write. */
function fileOf(maxBytes: number) {
  const written: Buffer[] = []
  const state = { writes: 0, failsAt: Number.POSITIVE_INFINITY, written }
  const writeSync = (pieces: readonly Uint8Array[]): number => {
    if (++state.writes >= state.failsAt) throw new Error('the disk is full')
    const taken = Buffer.concat(pieces).subarray(0, maxBytes)
    written.push(taken)
    return taken.length
  }
  const write = async (pieces: readonly Uint8Array[]): Promise<number> => {
    await Bun.sleep(1)
    return writeSync(pieces)
  }
  const file: PieceFile = { write, writeSync }
  return { state, file }
}

const pieces = (count: number, size: number): Uint8Array[] =>
  Array.from({ length: count }, (_, at) => new Uint8Array(size).fill(at + 1))

test('everything is written once and in order, however little a write takes', async () => {
  for (const maxBytes of [20_000, 65_536, Number.POSITIVE_INFINITY]) {
    const { state, file } = fileOf(maxBytes)
    const given = [...pieces(20, 60_000), new Uint8Array(), new Uint8Array([9])]
    const whole = Buffer.concat(given)
    const writer = new FileWriter(file)
    for (const piece of given) await writer.add(piece)
    await writer.flush()
    expect(Buffer.concat(state.written).equals(whole)).toBe(true)
    // Written pieces hold no memory.
    expect(given.every((piece) => piece.length === 0)).toBe(true)
  }
})

test('many small pieces are few writes, and nothing is written before there is enough', async () => {
  const { state, file } = fileOf(Number.POSITIVE_INFINITY)
  const writer = new FileWriter(file)
  for (const piece of pieces(100, 1000)) await writer.add(piece)
  expect(state.writes).toBe(0)
  await writer.flush()
  await writer.flush()
  expect(state.writes).toBe(1)
})

test('an error of a write is thrown, at the latest by flush', async () => {
  const { state, file } = fileOf(Number.POSITIVE_INFINITY)
  state.failsAt = 2
  const writer = new FileWriter(file)
  const add = async () => {
    for (const piece of pieces(40, 60_000)) await writer.add(piece)
  }
  expect(add()).rejects.toThrow('the disk is full')
  await add().catch(() => {})
  expect(writer.flush()).rejects.toThrow('the disk is full')
})
