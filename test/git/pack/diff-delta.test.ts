import { describe, expect, test } from 'bun:test'
import { createDelta } from '../../../src/git/pack/diff-delta.ts'
import { applyDelta, deltaSizes } from '../../../src/git/store/delta.ts'
import { random } from '../support/history.ts'

const bytesOf = (next: () => number, size: number) =>
  Uint8Array.from({ length: size }, () => Math.floor(next() * 256))

describe('a created delta', () => {
  const next = random(17)
  const rebuilt = (base: Buffer, target: Buffer, limit = target.length * 2 + 100) => {
    const delta = createDelta(base, target, limit)
    if (delta === null) return null
    const sizes = deltaSizes(delta, 0, delta.length)
    expect([sizes.base, sizes.result]).toEqual([base.length, target.length])
    const out = Buffer.alloc(sizes.result)
    applyDelta(base, 0, base.length, delta, sizes.start, delta.length, out, 0, sizes.result)
    expect(Buffer.compare(out, target)).toBe(0)
    return delta
  }

  test('restores the target after deletions, moves and insertions', () => {
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

  test('is small for a small change, and null above its limit', () => {
    const base = Buffer.from(Array.from({ length: 3000 }, (_, i) => `line ${i * 7919}`).join('\n'))
    const target = Buffer.from(base.toString().replace('line 79190\n', 'another line\n'))
    expect(rebuilt(base, target)!.length).toBeLessThan(60)
    expect(createDelta(base, Buffer.from(bytesOf(next, 10_000)), 500)).toBeNull()
  })
})
