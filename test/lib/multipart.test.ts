import { expect, test } from 'bun:test'
import { readMultipart } from '#lib/multipart.ts'
import { Refusal } from '#lib/errors.ts'

const TYPE = 'multipart/form-data; boundary=----b'

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

async function all(bytes: Uint8Array, size: number, type = TYPE) {
  const found: unknown[] = []
  for await (const { name, filename, type: kind, stream } of readMultipart(
    cut(bytes, size),
    type,
  )) {
    const pieces: Buffer[] = []
    for await (const piece of stream) pieces.push(Buffer.from(piece))
    found.push([name, filename, kind, Buffer.concat(pieces).toString('latin1')])
  }
  return found
}

const text = (body: string) => Buffer.from(body.replaceAll('\n', '\r\n'), 'latin1')
const FORM = text(
  '------b\nContent-Disposition: form-data; name="csrf"\n\ntoken\n------b\nContent-Disposition: form-data; name="file"; filename="a%22b.txt"\nContent-Type: text/plain\n\n\n--almost\n------\n------b--\n',
)

test('gives fields and files as they are, wherever the bytes are cut', async () => {
  for (const size of [1, 2, 3, 7, 50, 1000]) {
    expect(await all(FORM, size)).toEqual([
      ['csrf', null, null, 'token'],
      ['file', 'a"b.txt', 'text/plain', '\r\n--almost\r\n------'],
    ])
  }
})

test('reads what a browser’s own maker of forms writes, zero bytes and line ends included', async () => {
  const data = new FormData()
  const bytes = Uint8Array.from({ length: 5000 }, (_, at) => at % 256)
  data.append('label', 'ü')
  data.append('file', new File([bytes], 'größe.bin', { type: 'application/zip' }))
  const response = new Response(data)
  const type = response.headers.get('content-type') ?? ''
  const sent = await response.bytes()
  const found = await all(sent, 100, type)
  expect(found).toEqual([
    ['label', null, null, Buffer.from('ü').toString('latin1')],
    ['file', 'größe.bin', 'application/zip', Buffer.from(bytes).toString('latin1')],
  ])
})

test('passes over what is left of a part', async () => {
  const names: string[] = []
  for await (const { name, stream } of readMultipart(cut(FORM, 5), TYPE)) {
    names.push(name)
    for await (const _ of stream) break
  }
  expect(names).toEqual(['csrf', 'file'])
})

test('refuses another type, what ends early, and heads without end', async () => {
  const code = (bytes: Uint8Array, type?: string) =>
    all(bytes, 64, type).then(
      () => 'ok',
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    )
  expect(await code(FORM, 'application/json')).toBe('unsupported_media_type')
  expect(await code(FORM, 'multipart/form-data')).toBe('unsupported_media_type')
  for (const length of [3, 20, 60, 120, FORM.length - 6])
    expect([length, await code(FORM.subarray(0, length))]).toEqual([length, 'bad_request'])
  expect(
    await code(text(`------b\nContent-Disposition: form-data; name="x"${'y'.repeat(20_000)}`)),
  ).toBe('bad_request')
  expect(await code(text(`------b\nX: y\n\nz\n------b--\n`))).toBe('bad_request')
  expect(await code(Buffer.alloc(100_000, 'x'))).toBe('bad_request')
})
