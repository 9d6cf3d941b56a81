import { expect, test } from 'bun:test'
import { parseQuery, impliedType } from '#features/search/query.ts'
import { Refusal } from '#lib/errors.ts'

const terms = (text: string) =>
  parseQuery(text).terms.map(
    ({ text: word, phrase, not }) => `${not ? '-' : ''}${phrase ? `"${word}"` : word}`,
  )
const qualifiers = (text: string) =>
  parseQuery(text).qualifiers.map(({ name, value, not }) => `${not ? '-' : ''}${name}=${value}`)

test('words, phrases and minus', () => {
  expect(terms('a bc  "d e" -f -"g h" - i')).toEqual(['a', 'bc', '"d e"', '-f', '-"g h"', '-', 'i'])
  expect(terms('say "a \\"quoted\\" word" x"y')).toEqual(['say', '"a "quoted" word"', 'x"y'])
  expect(terms('"never ends')).toEqual(['"never ends"'])
})

test('qualifiers, with values in quotes, and their order does not matter', () => {
  expect(qualifiers('repo:acme/site label:"good first" -author:bob IS:Open path:src/*.ts')).toEqual(
    ['repo=acme/site', 'label=good first', '-author=bob', 'is=open', 'path=src/*.ts'],
  )
  expect(qualifiers('regex:/a b\\/c\\d/ x')).toEqual(['regex=a b/c\\d'])
  expect(terms('regex:/a b\\/c/ x')).toEqual(['x'])
})

test('what nobody knows as a qualifier is a word', () => {
  expect(
    terms('std::vector http://x is:nothing repo:noslash case:maybe label: constructor:x'),
  ).toEqual([
    'std::vector',
    'http://x',
    'is:nothing',
    'repo:noslash',
    'case:maybe',
    'label:',
    'constructor:x',
  ])
})

test('nothing at all and too much at once are refused', () => {
  for (const text of ['', ' \n ', '""', 'regex://', Array(40).fill('x').join(' ')])
    expect(() => parseQuery(text)).toThrow(Refusal)
  expect(parseQuery('is:open').terms).toEqual([])
})

test('a query may say its type by itself', () => {
  const type = (text: string) => impliedType(parseQuery(text))
  expect(
    [
      'x',
      'x is:pr',
      'is:issue x',
      'path:a x',
      'x language:go',
      'symbol:x',
      'regex:/x/',
      'is:open x',
      '-is:pr x',
    ].map(type),
  ).toEqual([
    'repositories',
    'pulls',
    'issues',
    'code',
    'code',
    'code',
    'code',
    'repositories',
    'repositories',
  ])
})
