import { expect, test } from 'bun:test'
import { RE2JS } from 're2js'
import { plainExpression } from '#features/search/plain-expression.ts'
import { LineExpression } from '#features/search/pattern.ts'
import { requiredTextOf } from '#features/search/required-text.ts'
import { trigramQuery, type RequiredText } from '#features/search/trigrams.ts'

/** Whether a text has what is needed, without regard to case, as the index of trigrams sees it. */
const has = (text: string, need: RequiredText): boolean => {
  if (need === null) return true
  if ('piece' in need) return text.toLowerCase().includes(need.piece.toLowerCase())
  return 'all' in need
    ? need.all.every((one) => has(text, one))
    : need.any.some((one) => has(text, one))
}

const CASES: readonly [source: string, matching: readonly string[]][] = [
  ['foo', ['xFOOx']],
  ['foo|bar', ['foo', 'bar']],
  ['ab+c', ['abc', 'abbbc']],
  ['colou?r', ['color', 'colour']],
  ['(ab)+cd', ['abcd', 'ababcd']],
  ['(ab)*cd', ['cd', 'abcd']],
  ['get\\w+\\(', ['getName(']],
  ['a{2,3}b', ['aab', 'aaab']],
  ['a{0,3}b', ['b', 'ab']],
  ['x(a|bc)y', ['xay', 'xbcy']],
  ['[abc]def', ['adef']],
  ['a[.]b', ['a.b']],
  ['a\\.b', ['a.b']],
  ['(?i)foo', ['FOO']],
  ['\\bfoo\\b', ['a foo b']],
  ['^foo$', ['foo']],
  ['a.*b', ['axxb']],
  ['(?:one|two) three', ['one three', 'two three']],
  ['\\x41bc', ['Abc']],
  ['\\Qa.b\\E', ['a.b']],
  ['(a|)b', ['b', 'ab']],
  ['foo??bar', ['fobar', 'foobar']],
  ['é+tude', ['étude']],
  ['x+x', ['xx', 'xxx']],
  ['[^\\]]x', ['ax']],
  ['\\s*end', ['end', '  end']],
]

test('whatever an expression matches has what is said to be needed', () => {
  for (const [source, texts] of CASES) {
    const need = requiredTextOf(source)
    for (const text of texts) {
      expect({
        source,
        text,
        found: new LineExpression(source, false).isFoundIn(Buffer.from(text).toString('latin1')),
      }).toEqual({ source, text, found: true })
      expect({ source, text, has: has(text, need) }).toEqual({ source, text, has: true })
    }
  }
})

test('enough is known to ask the index', () => {
  const match = (source: string) => trigramQuery(requiredTextOf(source))
  expect(match('lighthouse')).toContain('"lig"')
  expect(match('get\\w+Name')).toBe('("get" AND ("Nam" AND "ame"))')
  expect(match('alpha|beta')).toContain(' OR ')
  for (const nothing of ['.*', '\\w+', 'alpha|x', '[a-z]+', '(?P<a>.)', 'a'])
    expect(match(nothing)).toBeNull()
})

test('places are found in lines, and never over the end of one', () => {
  const expression = new LineExpression('a\\s+b', true)
  const found = (text: string) => expression.isFoundIn(text)
  const places = (text: string, most: number) => expression.findIn(text, most)
  expect(found('a\nb')).toBe(false)
  expect(found('x\r\na  b\r\n')).toBe(true)
  expect(places('a b\nc a  b', 10)).toEqual([
    [0, 3],
    [6, 10],
  ])
  expect(
    new LineExpression('^b.*é$', false).isFoundIn(Buffer.from('a\nb und é\nc').toString('latin1')),
  ).toBe(true)
})

test('plain expressions find the same as RE2, and all others are left to it', () => {
  const sources = [
    'struct\\s*\\(',
    '\\bfoo[a-z]*_?\\d?\\b',
    'a.b',
    '^x$',
    'a{2,3}b',
    '[A-Za-z_]+\\(',
    'x\\.y',
    '[ \\s]a',
    'a?b',
    'k',
    '[a-c-]z',
    '[.*+]x',
  ]
  const texts = [
    'struct (',
    'struct\n(',
    'STRUCT\t(',
    'foobar_1',
    'xfoo',
    'foo',
    'aéb',
    'axb',
    'a\nb',
    'x',
    'yx',
    'x\ny',
    'aab',
    'aaaab',
    'call_me(',
    'x.y',
    'xzy',
    ' a',
    '\u00a0a',
    'b',
    '\u212a',
    'ſ',
    '-z',
    'az',
    '*x',
    'foo é',
    'é foo',
  ]
  for (const source of sources) {
    const plain = plainExpression(source, false)
    expect({ source, plain: plain !== null }).toEqual({ source, plain: true })
    for (const text of texts) {
      const bytes = Buffer.from(text).toString('latin1')
      if (
        plain === null ||
        (plain.beyondAscii && /[^\0-\x7f]/.test(bytes)) ||
        /[^\0-\x7f]/.test(text)
      )
        continue
      const lines = text
        .split('\n')
        .some((line) => RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).test(line))
      expect({ source, text, found: plain.pattern.test(bytes) }).toEqual({
        source,
        text,
        found: lines,
      })
    }
  }
  for (const source of [
    'a*b*',
    '(a+)+',
    'a|b',
    '[^a]',
    'a++',
    '\\pL',
    '(?i)a',
    'é',
    '[z-a]',
    'a{3,2}',
    'a{30}',
    '\\b*',
    '[[:alpha:]]',
    'a**',
    '\\Qa',
    '(a',
  ])
    expect({ source, plain: plainExpression(source, false) }).toEqual({ source, plain: null })
})
