import { describe, expect, test } from 'bun:test'
import zlib from 'node:zlib'
import { createInflater } from '../../../src/git/store/inflate.ts'

for (const kind of ['handle', 'plain'] as const) {
  describe(`the ${kind} inflater`, () => {
    const text = Buffer.from(Array.from({ length: 5000 }, (_, i) => `${i} bottles`).join('\n'))
    const packed = zlib.deflateSync(text)
    const padded = Buffer.concat([Buffer.from('front'), packed, Buffer.from('behind')])

    test('finds the end of a stream within other bytes', () => {
      const out = new Uint8Array(text.length + 1)
      expect(createInflater(kind).whole(padded, 5, padded.length, out, 0, text.length)).toBe(
        packed.length,
      )
      expect(Buffer.compare(out.subarray(0, text.length), text)).toBe(0)
    })

    test('inflates a stream in pieces of any size', () => {
      for (const piece of [1, 7, 100, 5000]) {
        const inflater = createInflater(kind)
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

    test('rejects truncated, damaged, short and long streams', () => {
      const inflater = createInflater(kind)
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
