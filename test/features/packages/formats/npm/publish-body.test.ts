import { expect, test } from 'bun:test'
import { Base64Decoder } from '#features/packages/formats/npm/publish-body.ts'

test('base64 is decoded in pieces of any length, with escaped slashes', () => {
  for (let seed = 1; seed < 1500; seed++) {
    let state = seed
    const below = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit
    const bytes = Buffer.from(Array.from({ length: below(200) }, () => below(256)))
    const text = bytes.toString('base64').replaceAll('/', seed % 2 === 0 ? '\\/' : '/')
    const decoder = new Base64Decoder()
    const parts: Uint8Array[] = []
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + below(9)
      parts.push(decoder.decode(Buffer.from(text.slice(at, end))))
      at = end
    }
    parts.push(decoder.end())
    expect(Buffer.concat(parts)).toEqual(bytes)
  }
})
