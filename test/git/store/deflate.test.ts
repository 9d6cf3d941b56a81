import { expect, test } from 'bun:test'
import zlib from 'node:zlib'
import { Deflater } from '../../../src/git/store/deflate.ts'

test('the public function inflates what the reused handle deflates, at any size', () => {
  const deflater = new Deflater()
  for (let size = 0; size < 70_000; size = size * 2 + 1) {
    const data = Buffer.from(Array.from({ length: size }, (_, i) => (i * i) % 97))
    expect(zlib.inflateSync(new Uint8Array(deflater.deflate(data, 4))).equals(data)).toBe(true)
  }
})
