/** Words as BuildKit reads them; the vectors are those of its `envVarTest` and `wordsTest`. */
import { expect, test } from 'bun:test'
import { expandWord, expandWords, splitWords } from '#src/runner/dockerfile/words.ts'

const ENV: Readonly<Record<string, string>> = { PWD: '/home', SHELL: 'bash', NULL: '', TWO: 'a b' }
const rules = { lookup: (name: string) => ENV[name], escape: '\\' }

test('a word is what BuildKit makes of it', () => {
  for (const [text, word] of [
    ['hello', 'hello'],
    [`he'll'o`, 'hello'],
    [String.raw`he\'llo`, `he'llo`],
    [String.raw`abc\tdef`, 'abctdef'],
    [String.raw`"abc\tdef"`, String.raw`abc\tdef`],
    [String.raw`"abc\\tdef"`, String.raw`abc\tdef`],
    [String.raw`'abc\tdef'`, String.raw`abc\tdef`],
    ['hello\\', 'hello'],
    [`"hel'lo"`, `hel'lo`],
    ['$.', '$.'],
    ['he$1x', 'hex'],
    ['he$PWD', 'he/home'],
    [String.raw`he\$PWD`, 'he$PWD'],
    [String.raw`he\\$PWD`, String.raw`he\/home`],
    ['he${hi}xx', 'hexx'],
    ['he${UNSET:-000}xx', 'he000xx'],
    ['he${NULL-000}xx', 'hexx'],
    ['he${UNSET:-${PWD:-yyy}}xx', 'he/homexx'],
    ['he${UNSET:+${PWD}}xx', 'hexx'],
    ['he${PWD:+${SHELL}}xx', 'hebashxx'],
    ['he${PWD:?}', 'he/home'],
    [`'he$PWD'`, 'he$PWD'],
    ['"he$PWD"', 'he/home'],
  ] as const)
    expect(expandWord(text, rules)).toBe(word)
})

test('a broken word is refused', () => {
  for (const text of [
    '"hello',
    `'hello`,
    '${}',
    '${.}',
    'he${UNSET:YYY}',
    '${UNSET?}',
    '${NULL:?}',
    '${PWD',
  ])
    expect(() => expandWord(text, rules)).toThrow()
  expect(() => expandWord('${PWD#/}', rules)).toThrow('"#" of a substitution is not known here')
})

test('spaces of variables part words, unless they are quoted', () => {
  expect(expandWords('x$TWO', rules)).toEqual(['xa', 'b'])
  expect(expandWords('"x$TWO" y', rules)).toEqual(['xa b', 'y'])
  expect(splitWords(String.raw`a=1 b="x y" c='z w' d=e\ f`, '\\')).toEqual([
    'a=1',
    'b="x y"',
    `c='z w'`,
    String.raw`d=e\ f`,
  ])
})

test('values that double with each variable, and deep substitutions, are refused', () => {
  let value = 'x'.repeat(1024)
  const grow = (): void => {
    for (let n = 0; n < 40; n++) value = expandWord('$A$A', { ...rules, lookup: () => value })
  }
  expect(grow).toThrow('longer than')
  expect(() => expandWord('${A:-'.repeat(10_000), rules)).toThrow('too many substitutions')
})
