import { expect, test } from 'bun:test'
import { parseLfsPointer } from '#lib/lfs-pointer.ts'

const oid = 'a'.repeat(64)
const parse = (text: string) => parseLfsPointer(new TextEncoder().encode(text))
const VERSION = 'version https://git-lfs.github.com/spec/v1\n'

test('a pointer to a large file is seen as one, with extensions and of an empty file too', () => {
  expect(parse(`${VERSION}oid sha256:${oid}\nsize 12345\n`)).toEqual({ oid, size: 12345 })
  expect(parse(`${VERSION}oid sha256:${oid}\nsize 0\n`)).toEqual({ oid, size: 0 })
  const extension = `ext-0-case sha256:${'b'.repeat(64)}\n`
  expect(parse(`${VERSION}${extension}oid sha256:${oid}\nsize 1\n`)).toEqual({ oid, size: 1 })
})

test('other texts are none', () => {
  for (const text of [
    'version 1\n',
    `${VERSION}oid sha256:${oid.slice(1)}\nsize 1\n`,
    `${VERSION}oid md5:${oid}\nsize 1\n`,
    `${VERSION}oid sha256:${oid}\nsize -1\n`,
    `x${VERSION}oid sha256:${oid}\nsize 1\n`,
    `${VERSION}oid sha256:${oid}\nsize 1\n${'x'.repeat(1024)}`,
  ])
    expect(parse(text)).toBeNull()
})
