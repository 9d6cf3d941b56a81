import { expect, test } from 'bun:test'
import { Masks } from '#src/actions/index.ts'

const SECRET = 's3cr3t/p+ss wörd"x'

function masksOf(...values: string[]): Masks {
  const masks = new Masks()
  for (const value of values) masks.add(value)
  return masks
}

test('hides a value as it is and encoded', () => {
  const masks = masksOf(SECRET)
  expect(masks.maskText(`before ${SECRET} after ${SECRET}`)).toBe('before *** after ***')
  for (const text of [
    encodeURIComponent(SECRET),
    JSON.stringify({ a: SECRET }),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${SECRET}`).toString('base64')),
    ...['', 'a', 'ab'].map((b) => Buffer.from(`${b}${SECRET} and more`).toString('base64url')),
  ]) {
    const hidden = masks.maskText(text)
    expect(hidden).toContain('***')
    expect(hidden.length).toBeLessThan(text.length - SECRET.length / 2)
  }
  expect(masks.finds('nothing here')).toBe(false)
  expect(masks.maskText('nothing here')).toBe('nothing here')
})

test('hides each line of a value, and each text of a JSON value', () => {
  const masks = masksOf('first line\nsecond line\nab', '{"user":"annabel","pin":[123456]}')
  expect(masks.maskText('x second line y annabel 123456 ab')).toBe('x *** y *** *** ab')
})

test('a value below four characters hides nothing', () => {
  const masks = masksOf('1', 'abc', '')
  expect(masks.maskText('1 abc 11')).toBe('1 abc 11')
  expect(masks.longest).toBe(0)
})

test('secrets that overlap are hidden together', () => {
  expect(masksOf('abcdef', 'defghi').maskText('xabcdefghix')).toBe('x***x')
})

test('a cut is never in the middle of a secret', () => {
  const masks = masksOf('secretvalue')
  const data = Buffer.from('aaasecretvaluebbb')
  for (let at = 0; at <= data.length; at++) {
    const cut = masks.cutAt(data, at)
    expect(cut).toBeGreaterThanOrEqual(at)
    const parts = [data.subarray(0, cut), data.subarray(cut)].map((part) => masks.mask(part))
    expect(Buffer.concat(parts).toString()).toBe('aaa***bbb')
  }
})

test('the number of values is bounded', () => {
  const masks = new Masks()
  const added = Array.from({ length: 2_000 }, (_, n) => masks.add(`value number ${n}`))
  expect(added.filter(Boolean).length).toBeLessThan(1_000)
  expect(masks.add('x'.repeat(100_000))).toBe(false)
})

test('the number of forms is bounded, and a value beyond it is refused', () => {
  const masks = new Masks()
  const value = (n: number) =>
    Array.from({ length: 200 }, (_, i) => `secret ${n} of ${i}`).join('\n')
  expect(masks.add(value(0))).toBe(true)
  const added = Array.from({ length: 100 }, (_, n) => masks.add(value(n + 1)))
  expect(added.filter(Boolean).length).toBeLessThan(4)
  expect(masks.maskText('a secret 0 of 199')).toBe('a ***')
  expect(masks.finds('secret 100 of 0')).toBe(false)
})

test('secrets of the job are hidden whatever their number, and leave room for values', () => {
  const masks = new Masks()
  const lines = (n: number) => Array.from({ length: 200 }, (_, i) => `secret ${n} of ${i}`)
  masks.addSecrets([...Array.from({ length: 20 }, (_, n) => lines(n).join('\n')), 'short one'])
  for (let n = 0; n < 20; n++) expect(masks.maskText(`a secret ${n} of 199`)).toBe('a ***')
  expect(masks.maskText(Buffer.from('short one').toString('base64'))).toContain('***')
  expect(masks.add('a value of the job')).toBe(true)
})
