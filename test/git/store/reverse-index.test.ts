import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PackFile } from '../../../src/git/store/pack-file.ts'
import { isReverseIndexDamaged } from '../../../src/git/store/reverse-index.ts'
import { makeHistory } from '../support/history.ts'
import { discard, git, scratch } from '../support/real-git.ts'

let work: string
/** The pack's path without extension, and the `.rev` file that git wrote. */
let base: string
let rev: Buffer
/** The offset of each object by index position, from git. */
let offsets: number[]

beforeAll(async () => {
  work = scratch()
  const path = await makeHistory(work, 'source', { commits: 60 })
  await git(path, '-c', 'pack.writeReverseIndex=true', 'repack', '-adfq')
  const packs = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'objects', 'pack')
  base = join(
    packs,
    readdirSync(packs)
      .find((name) => name.endsWith('.pack'))!
      .slice(0, -5),
  )
  rev = readFileSync(`${base}.rev`)
  const listed = (await git(path, 'verify-pack', '-v', `${base}.idx`))
    .split('\n')
    .filter((line) => /^[0-9a-f]{40} /.test(line))
  offsets = listed.sort().map((line) => Number(line.trim().split(/ +/)[4]))
})

afterAll(() => discard(work))

/** What a newly opened pack returns for a few objects, before and after all of them were loaded. */
function isRight(): void {
  const sorted = offsets.map((_, place) => place).sort((a, b) => offsets[a]! - offsets[b]!)
  const pack = new PackFile(base)
  try {
    const { reverseIndex: order } = pack
    expect(order.count).toBe(offsets.length)
    const some = [0, 1, 17, offsets.length >> 1, offsets.length - 1]
    const agree = (ranks: readonly number[]): void => {
      for (const rank of ranks) {
        expect(order.packPosOf(sorted[rank]!)).toBe(rank)
        expect(order.indexPosAt(rank)).toBe(sorted[rank]!)
        expect(order.offsetAt(rank)).toBe(offsets[sorted[rank]!]!)
        expect(order.packPosAtOffset(offsets[sorted[rank]!]!)).toBe(rank)
        expect(order.packPosAtOffset(offsets[sorted[rank]!]! + 1)).toBe(-1)
      }
      expect(order.offsetAt(order.count)).toBe(pack.size - 20)
    }
    agree(some)
    expect([...order.all.indexPositions]).toEqual(sorted)
    agree(sorted.map((_, rank) => rank))
  } finally {
    pack.close()
  }
}

/** Replaces or removes the file while `check` runs. */
const restored = (content: Uint8Array | null, check: () => void): void => {
  // git writes it read-only.
  rmSync(`${base}.rev`)
  if (content !== null) writeFileSync(`${base}.rev`, content)
  try {
    check()
  } finally {
    rmSync(`${base}.rev`, { force: true })
    writeFileSync(`${base}.rev`, rev)
  }
}

const isDamaged = (): boolean => {
  const pack = new PackFile(base)
  try {
    return isReverseIndexDamaged(base, pack.index)
  } finally {
    pack.close()
  }
}

test('the file has the pack order, for a few objects and for all', () => {
  isRight()
  expect(isDamaged()).toBe(false)
})

test('without a file the order is found by sorting', () =>
  restored(null, () => (isRight(), expect(isDamaged()).toBe(false))))

test('a file with any flipped bit is not used', () => {
  for (const at of [5, 12 + 3, 12 + 4 * 17 + 3, rev.length - 30, rev.length - 1]) {
    const turned = Buffer.from(rev)
    turned[at]! ^= 1
    restored(turned, () => (isRight(), expect(isDamaged()).toBe(true)))
  }
})

test('a truncated file and one of another pack are not used', () => {
  restored(rev.subarray(0, -4), () => (isRight(), expect(isDamaged()).toBe(true)))
  const other = Buffer.from(rev)
  other.fill(7, rev.length - 40, rev.length - 20)
  restored(resummed(other), () => (isRight(), expect(isDamaged()).toBe(true)))
})

/** With a matching checksum. */
function resummed(bytes: Buffer): Buffer {
  bytes.set(Bun.SHA1.hash(bytes.subarray(0, -20)) as Uint8Array, bytes.length - 20)
  return bytes
}

test('a file that swaps two objects hides no object', () => {
  const crossed = Buffer.from(rev)
  const [first, second] = [12 + 4 * 17, 12 + 4 * 18]
  crossed.copyWithin(first, second, second + 4)
  rev.copy(crossed, second, first, first + 4)
  restored(resummed(crossed), () => {
    expect(isDamaged()).toBe(true)
    const sorted = offsets.map((_, place) => place).sort((a, b) => offsets[a]! - offsets[b]!)
    const pack = new PackFile(base)
    try {
      // Only the first two: after so many lookups the whole file is loaded.
      for (const rank of [17, 18, ...sorted.keys()])
        expect(pack.reverseIndex.packPosOf(sorted[rank]!)).toBe(rank)
    } finally {
      pack.close()
    }
  })
})
