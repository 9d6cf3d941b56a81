import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PackFile } from '../../../src/git/store/pack-file.ts'
import { isOrderDamaged } from '../../../src/git/store/pack-order.ts'
import { makeHistory } from '../support/history.ts'
import { discard, git, scratch } from '../support/real-git.ts'

let work: string
/** The pack's path without its ending, and its `.rev` as git made it. */
let base: string
let rev: Buffer
/** Where each object starts, by its place in the index, as git tells it. */
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

/**
 * What a pack that was opened just now says of a few objects, before and after it was asked about
 * all of them.
 */
function isRight(): void {
  const sorted = offsets.map((_, place) => place).sort((a, b) => offsets[a]! - offsets[b]!)
  const pack = new PackFile(base)
  try {
    const { order } = pack
    expect(order.count).toBe(offsets.length)
    const some = [0, 1, 17, offsets.length >> 1, offsets.length - 1]
    const agree = (ranks: readonly number[]): void => {
      for (const rank of ranks) {
        expect(order.rankOf(sorted[rank]!)).toBe(rank)
        expect(order.placeAt(rank)).toBe(sorted[rank]!)
        expect(order.offsetAt(rank)).toBe(offsets[sorted[rank]!]!)
        expect(order.rankAt(offsets[sorted[rank]!]!)).toBe(rank)
        expect(order.rankAt(offsets[sorted[rank]!]! + 1)).toBe(-1)
      }
      expect(order.offsetAt(order.count)).toBe(pack.size - 20)
    }
    agree(some)
    expect([...order.whole.places]).toEqual(sorted)
    agree(sorted.map((_, rank) => rank))
  } finally {
    pack.close()
  }
}

/** With other content in the file, or without any, for as long as `check` takes. */
const restored = (content: Uint8Array | null, check: () => void): void => {
  // git makes it so that it cannot be written to.
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
    return isOrderDamaged(base, pack.index)
  } finally {
    pack.close()
  }
}

test('is the order of the pack, for a few objects and for all', () => {
  isRight()
  expect(isDamaged()).toBe(false)
})

test('without a file it is found by sorting', () =>
  restored(null, () => (isRight(), expect(isDamaged()).toBe(false))))

test('a file with a bit turned is not used, wherever the bit is', () => {
  for (const at of [5, 12 + 3, 12 + 4 * 17 + 3, rev.length - 30, rev.length - 1]) {
    const turned = Buffer.from(rev)
    turned[at]! ^= 1
    restored(turned, () => (isRight(), expect(isDamaged()).toBe(true)))
  }
})

test('a file that is cut off, or of another pack, is not used', () => {
  restored(rev.subarray(0, -4), () => (isRight(), expect(isDamaged()).toBe(true)))
  const other = Buffer.from(rev)
  other.fill(7, rev.length - 40, rev.length - 20)
  restored(resummed(other), () => (isRight(), expect(isDamaged()).toBe(true)))
})

/** With a checksum that fits. */
function resummed(bytes: Buffer): Buffer {
  bytes.set(Bun.SHA1.hash(bytes.subarray(0, -20)) as Uint8Array, bytes.length - 20)
  return bytes
}

test("a file that puts two objects in each other's place hides no object", () => {
  const crossed = Buffer.from(rev)
  const [first, second] = [12 + 4 * 17, 12 + 4 * 18]
  crossed.copyWithin(first, second, second + 4)
  rev.copy(crossed, second, first, first + 4)
  restored(resummed(crossed), () => {
    expect(isDamaged()).toBe(true)
    const sorted = offsets.map((_, place) => place).sort((a, b) => offsets[a]! - offsets[b]!)
    const pack = new PackFile(base)
    try {
      // The two first: from so many questions on, all of the file is looked at.
      for (const rank of [17, 18, ...sorted.keys()])
        expect(pack.order.rankOf(sorted[rank]!)).toBe(rank)
    } finally {
      pack.close()
    }
  })
})
