import { afterAll, expect, test } from 'bun:test'
import { LogWriter, packLog, readGrowingLog, readPackedLog, type LogPage } from '#runner'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'hearth-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

let counter = 0
/** Writes pieces, each one second after the one before, and packs them. */
async function write(pieces: readonly string[]) {
  const path = join(folder, 'repo', `job${++counter}`)
  const log = new LogWriter(path)
  pieces.forEach((piece, n) => log.write(bytes(piece), 1_000 * n))
  log.close()
  const packed = join(folder, `packed${counter}`)
  await packLog(path, packed, log.lines)
  return {
    path,
    packed,
    log,
    /** The same page of both forms. */
    async page(from: number, count: number): Promise<LogPage | null> {
      const growing = readGrowingLog(path, from, count)
      expect(await readPackedLog(packed, from, count)).toEqual(growing)
      return growing
    },
  }
}

test('lines come back with their numbers and times, from anywhere', async () => {
  const { page, log } = await write(['one\ntwo\n', 'three\n', '\nfive: grün 🌱\n'])
  expect(log.lines).toBe(5)
  expect(await page(1, 10)).toEqual({
    lines: [
      { n: 1, at: 0, text: 'one' },
      { n: 2, at: 0, text: 'two' },
      { n: 3, at: 1_000, text: 'three' },
      { n: 4, at: 2_000, text: '' },
      { n: 5, at: 2_000, text: 'five: grün 🌱' },
    ],
    next: null,
  })
  expect(await page(2, 2)).toEqual({
    lines: [
      { n: 2, at: 0, text: 'two' },
      { n: 3, at: 1_000, text: 'three' },
    ],
    next: 4,
  })
  expect(await page(6, 10)).toEqual({ lines: [], next: null })
  expect(await page(5, 0)).toMatchObject({ lines: [] })
})

test('a page of a large log is read from its middle', async () => {
  const pieces: string[] = []
  let line = 0
  // Pieces of different sizes, so that stretches and frames begin at different lines.
  for (let n = 1; line < 9_000; n = (n * 7) % 1_999) {
    pieces.push(Array.from({ length: n }, () => `line ${++line}\n`).join(''))
  }
  const { page, log } = await write(pieces)
  expect(log.lines).toBe(line)
  for (const from of [1, 2, 1_023, 1_024, 1_025, 2_048, 4_097, 8_192, line - 3, line]) {
    const found = await page(from, 40)
    expect(found?.lines.map(({ n, text }) => `${n} ${text}`)).toEqual(
      Array.from(
        { length: Math.min(40, line - from + 1) },
        (_, n) => `${from + n} line ${from + n}`,
      ),
    )
    expect(found?.next ?? null).toBe(from + 40 <= line ? from + 40 : null)
  }
  const times = (await page(1_000, 1_000))?.lines.map(({ at }) => at) ?? []
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times).toHaveLength(1_000)
})

test('a page is bounded in bytes', async () => {
  const { page } = await write([`${'x'.repeat(16_000)}\n`.repeat(3_000)])
  const first = await page(1, 1_000)
  expect(first?.lines.length).toBeLessThan(80)
  expect(first?.next).toBe((first?.lines.length ?? 0) + 1)
})

test('a log that is missing, empty or of another kind gives no lines', async () => {
  expect(readGrowingLog(join(folder, 'missing'), 1, 10)).toBeNull()
  expect(await readPackedLog(join(folder, 'missing'), 1, 10)).toBeNull()
  const other = join(folder, 'other')
  writeFileSync(other, 'x'.repeat(500))
  expect(await readPackedLog(other, 1, 10)).toBeNull()
  expect(await (await write([])).page(1, 10)).toEqual({ lines: [], next: null })
})

test('a line that is not complete yet is not read', () => {
  const path = join(folder, 'growing')
  const log = new LogWriter(path)
  log.write(bytes('whole\n'), 5)
  expect(readGrowingLog(path, 1, 10)?.lines).toEqual([{ n: 1, at: 5, text: 'whole' }])
  log.write(bytes('half'), 6)
  expect(readGrowingLog(path, 1, 10)?.lines).toHaveLength(1)
  log.close()
})
