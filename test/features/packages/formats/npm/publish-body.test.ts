import { expect, test } from 'bun:test'
import type { DigestedBlob } from '#core/blobs.ts'
import { Base64Decoder, readPublishBody } from '#features/packages/formats/npm/publish-body.ts'
import { refusal } from '../../../../world.ts'

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

const chunksOf = async function* (bytes: Uint8Array, length: number) {
  // Copies, because the reader releases the memory of a chunk.
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length)
}

/** Stores nothing, and keeps the bytes as text. */
async function readInChunks(body: Uint8Array, length: number) {
  const stored: string[] = []
  const { document, attachments } = await readPublishBody(chunksOf(body, length), async (bytes) => {
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) pieces.push(piece)
    stored.push(Buffer.concat(pieces).toString())
    return { sha256: '', size: 0, digests: {} } as unknown as DigestedBlob
  })
  return { document, names: [...attachments.keys()], stored }
}

test('attachments are found wherever chunks begin', async () => {
  const tarball = Buffer.from('the tarball').toString('base64')
  const document = {
    'a\\"b': ['\\', '"', '"_attachments":{"no":{"data":"'],
    data: { _attachments: { no: { data: 'no attachment' } } },
    _attachments: { 'a "quoted" – name.tgz': { content_type: 'x', data: tarball, length: 3 } },
    last: 'é',
  }
  const body = Buffer.from(JSON.stringify(document))
  for (const length of [1, 2, 3, 5, 7, 11, 64, body.length]) {
    const read = await readInChunks(body, length)
    expect(read.stored).toEqual(['the tarball'])
    expect(read.names).toEqual(['a \\"quoted\\" – name.tgz'])
    expect(read.document).toEqual({
      ...document,
      _attachments: {
        'a "quoted" – name.tgz': { content_type: 'x', data: '', length: 3 },
      },
    })
  }
})

test('a document of more values or longer names than any package has is refused', async () => {
  const refused = (text: string) => refusal(readInChunks(Buffer.from(text), 65_536))
  expect(await refused(`{"a":[${'1,'.repeat(60_000)}1]}`)).toMatchObject({ status: 422 })
  expect(await refused(`{"${'k'.repeat(2000)}":1}`)).toMatchObject({ status: 400 })
  expect(await refused('[['.repeat(100))).toMatchObject({ status: 400 })
  expect(await refused('{"a":')).toMatchObject({ status: 400 })
})
