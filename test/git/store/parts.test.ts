import { describe, expect, test } from 'bun:test'
import zlib from 'node:zlib'
import { Arena } from '../../../src/git/store/arena.ts'
import { applyDelta, deltaSizes } from '../../../src/git/store/delta.ts'
import { makeInflater } from '../../../src/git/store/inflate.ts'
import { OidMap } from '../../../src/git/store/oid-map.ts'
import { makeDelta } from '../../../src/git/pack/make-delta.ts'
import { sortOids } from '../../../src/git/pack/index-writer.ts'
import { random } from '../support/history.ts'
import { insertDelta } from '../support/packs.ts'

const bytesOf = (next: () => number, size: number) =>
  Uint8Array.from({ length: size }, () => Math.floor(next() * 256))

describe('the arena', () => {
  test('gives back what was put, or nothing, never something else', () => {
    const arena = new Arena(1 << 16)
    const next = random(3)
    const owner = new Map<number, number>()
    const put = new Map<number, number>()
    let found = 0
    for (let i = 0; i < 20_000; i++) {
      const size = 1 + Math.floor(next() * 3000)
      const pinned = next() < 0.3 && put.size > 0 ? arena.find(owner, i - 1) : -1
      const keepFrom = pinned < 0 ? 0 : arena.start(pinned)
      const keepTo = pinned < 0 ? 0 : arena.end(pinned)
      const from = arena.reserve(size + 1, keepFrom, keepTo)
      expect(from + size <= arena.memory.length).toBe(true)
      if (pinned >= 0) expect(from >= keepTo || from + size <= keepFrom).toBe(true)
      arena.memory.fill(i % 251, from, from + size)
      arena.commit(owner, i, 1, from, size)
      put.set(i, size)
      const key = Math.max(0, i - Math.floor(next() * 40))
      const slot = arena.find(owner, key)
      if (slot < 0) continue
      found++
      const view = arena.memory.subarray(arena.start(slot), arena.end(slot))
      expect(view.length).toBe(put.get(key)!)
      expect(view.every((byte) => byte === key % 251)).toBe(true)
    }
    expect(found).toBeGreaterThan(5_000)
    expect(owner.size).toBeLessThan(2_000)
  })
})

describe('ids in a table', () => {
  test('keep their numbers while it grows', () => {
    const next = random(9)
    const map = new OidMap()
    const oids = Array.from({ length: 5000 }, () => bytesOf(next, 20))
    oids.forEach((oid, i) => expect(map.add(oid, 0)).toBe(i))
    oids.forEach((oid, i) => {
      expect(map.get(oid, 0)).toBe(i)
      expect(map.add(oid, 0)).toBe(i)
      expect(map.added).toBe(false)
      expect(map.hex(i)).toBe(Buffer.from(oid).toString('hex'))
    })
    expect(map.get(bytesOf(next, 20), 0)).toBe(-1)
  })

  test('are sorted as bytes are, with many that begin alike', () => {
    const next = random(4)
    const count = 3000
    const oids = bytesOf(next, count * 20)
    for (let i = 0; i < 500; i++) oids[i * 20] = oids[i * 20 + 1] = 7
    const order = sortOids(oids, count)
    const sorted = Array.from(order, (row) =>
      Buffer.from(oids.subarray(row * 20, row * 20 + 20)).toString('hex'),
    )
    expect(sorted).toEqual([...sorted].sort())
    expect(new Set(order).size).toBe(count)
  })
})

for (const kind of ['handle', 'plain'] as const) {
  describe(`inflating with the ${kind} way`, () => {
    const text = Buffer.from(Array.from({ length: 5000 }, (_, i) => `${i} bottles`).join('\n'))
    const packed = zlib.deflateSync(text)
    const padded = Buffer.concat([Buffer.from('front'), packed, Buffer.from('behind')])

    test('finds the end of a stream inside of other bytes', () => {
      const out = new Uint8Array(text.length + 1)
      expect(makeInflater(kind).whole(padded, 5, padded.length, out, 0, text.length)).toBe(
        packed.length,
      )
      expect(Buffer.compare(out.subarray(0, text.length), text)).toBe(0)
    })

    test('takes a stream in pieces of any size', () => {
      for (const piece of [1, 7, 100, 5000]) {
        const inflater = makeInflater(kind)
        const out = new Uint8Array(text.length + 1)
        inflater.begin()
        let at = 5
        let done = 0
        while (!inflater.ended) {
          const to = Math.min(at + piece, padded.length)
          inflater.step(padded, at, to, out, done, out.length, true)
          at += inflater.consumed
          done += inflater.produced
          if (piece === 1 && kind === 'plain' && at > 200) break
        }
        if (inflater.ended) expect([at, done]).toEqual([5 + packed.length, text.length])
      }
    })

    test('refuses streams that are cut, damaged, short or long', () => {
      const inflater = makeInflater(kind)
      const out = new Uint8Array(text.length + 10)
      const damaged = Buffer.from(packed)
      damaged[packed.length - 2]! ^= 1
      expect(() => inflater.whole(packed, 0, packed.length - 3, out, 0, text.length)).toThrow()
      expect(() => inflater.whole(damaged, 0, packed.length, out, 0, text.length)).toThrow()
      expect(() => inflater.whole(packed, 0, packed.length, out, 0, text.length - 1)).toThrow()
      expect(() => inflater.whole(packed, 0, packed.length, out, 0, text.length + 1)).toThrow()
      expect(inflater.whole(packed, 0, packed.length, out, 0, text.length)).toBe(packed.length)
    })
  })
}

test('a delta is applied exactly or refused', () => {
  const base = Buffer.from('0123456789'.repeat(20))
  const delta = insertDelta(base.length, 'a result that is inserted')
  const { result, start } = deltaSizes(delta, 0, delta.length)
  const out = Buffer.alloc(result)
  applyDelta(base, 0, base.length, delta, start, delta.length, out, 0, result)
  expect(Buffer.from(out).toString()).toBe('a result that is inserted')
  for (let end = start; end < delta.length; end++) {
    expect(() => applyDelta(base, 0, base.length, delta, start, end, out, 0, result)).toThrow()
  }
})

describe('making deltas', () => {
  const next = random(17)
  const rebuilt = (base: Buffer, target: Buffer, limit = target.length * 2 + 100) => {
    const delta = makeDelta(base, target, limit)
    if (delta === null) return null
    const sizes = deltaSizes(delta, 0, delta.length)
    expect([sizes.base, sizes.result]).toEqual([base.length, target.length])
    const out = Buffer.alloc(sizes.result)
    applyDelta(base, 0, base.length, delta, sizes.start, delta.length, out, 0, sizes.result)
    expect(Buffer.compare(out, target)).toBe(0)
    return delta
  }

  test('gives the target again, whatever was cut, moved or put in', () => {
    for (let i = 0; i < 300; i++) {
      const base = Buffer.from(
        bytesOf(() => next() * (i % 3 === 0 ? 0.02 : 1), Math.floor(next() * 5000)),
      )
      const parts: Uint8Array[] = []
      for (let k = 0; k < 6; k++) {
        const from = Math.floor(next() * base.length)
        parts.push(
          base.subarray(from, from + Math.floor(next() * 2000)),
          bytesOf(next, Math.floor(next() * 40)),
        )
      }
      rebuilt(base, Buffer.concat(parts))
    }
    rebuilt(Buffer.alloc(0), Buffer.from('x'))
    rebuilt(Buffer.alloc(300_000, 7), Buffer.alloc(200_000, 7))
    const large = Buffer.from(bytesOf(next, 200_000))
    expect(rebuilt(large, large)!.length).toBeLessThan(50)
  })

  test('is small for a small change, and gives up at its limit', () => {
    const base = Buffer.from(Array.from({ length: 3000 }, (_, i) => `line ${i * 7919}`).join('\n'))
    const target = Buffer.from(base.toString().replace('line 79190\n', 'another line\n'))
    expect(rebuilt(base, target)!.length).toBeLessThan(60)
    expect(makeDelta(base, Buffer.from(bytesOf(next, 10_000)), 500)).toBeNull()
  })
})
