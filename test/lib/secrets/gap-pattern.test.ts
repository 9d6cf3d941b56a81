import { expect, test } from 'bun:test'
import { RE2JS } from 're2js'
import { compileRule } from '#lib/secrets/compiled-rule.ts'
import { GapSearch, type Gap } from '#lib/secrets/gap-pattern.ts'
import { SecretMatcher } from '#lib/secrets/secret-matcher.ts'
import { secretRules } from '#lib/secrets/secret-rules.ts'
import { growthOf, MAX_GROWTH } from './growth.ts'

const rules = secretRules().filter(({ gap }) => gap !== undefined)

/** The whole expression, in the syntax of RE2. */
function wholeOf({ after, lines, isLazy }: Gap, rest: string): string {
  const any = isLazy ? '[^\\n]*?' : '[^\\n]*'
  return `${after}(?:${any}|${any}(?:[\\r\\n]{1,2}${any}){1,${lines}})${rest.replaceAll('(?![^])', '\\z')}`
}

const PARTS = [
  ...['curl', 'curl', 'Curl', 'curly', ' ', '\t', '\n', '\r\n', '\r', '\n\n', 'a', '"', "'", '.'],
  ...[' -u', ' -u ', ' --user ', '-u', " -u 'abc:def' ", ' "abc:def" ', '\n-u abc:defg', '"abc:'],
  ...[
    ' -H',
    ' --header ',
    '"X-Key: abcdefghi"',
    ' -H "token: abcdefghij" ',
    "'Authorization: Basic",
  ],
  ...['\n-H "key: abcdefghij"', " -H 'authorization: Bearer abcdefgh1234' x", ' -u abcd:efgh '],
]

/** The same texts in every run. */
function* texts(count: number): Generator<string> {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return (seed >> 8) % below
  }
  for (let text = 0; text < count; text++)
    yield Array.from({ length: 3 + random(26) }, () => PARTS[random(PARTS.length)]).join('')
}

test('what RE2 finds with the whole expression is found, with its groups', () => {
  expect(rules.map(({ id }) => id)).toEqual(['curl-auth-header', 'curl-auth-user'])
  for (const { gap, pattern } of rules) {
    if (!gap) continue
    const whole = RE2JS.compile(wholeOf(gap, pattern))
    let count = 0
    for (const text of texts(2000)) {
      const expected = []
      const matcher = whole.matcher(text)
      while (matcher.find()) {
        const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) =>
          matcher.group(at),
        )
        expected.push([matcher.start(), groups.map((group) => group ?? null)])
      }
      count += expected.length
      const found = [...new GapSearch(text, pattern, gap).matchAll()]
      const asFound = found.map(({ index, groups }) => [
        index,
        groups.map((group) => group ?? null),
      ])
      expect({ text, found: asFound as unknown }).toEqual({ text, found: expected })
    }
    expect(count).toBeGreaterThan(100)
  }
})

test('texts of many words and many places take time in proportion to their length', () => {
  const halves = [
    ['curl ', ' -u "aaa:'],
    ['curl ', " --user 'a"],
    ['curl\n', '\n-u aaa:bbb '],
    ['curl -u a:b\n', 'curl\n\n\n\n\n\n'],
    [' -u "aaa:bbb" ', 'curl '],
    ['curl ', ' -H "token: a'],
    ['curl\r\n', '\r\n-H "token: aaaaaaaa" '],
    ["curl -H 'key: aaaaaaaa' ", 'curl '],
  ]
  for (const rule of rules) {
    const { matchAll } = compileRule(rule)
    for (const [first = '', second = ''] of halves) {
      const text = (bytes: number) =>
        Buffer.alloc(bytes / 2, first).toString() + Buffer.alloc(bytes / 2, second).toString()
      const run = (part: string) => void [...matchAll(part)]
      const isLinear = growthOf(run, text(160_000), text(40_000)) <= MAX_GROWTH
      expect([rule.id, first, second, isLinear]).toEqual([rule.id, first, second, true])
    }
  }
})

test('a match is found wherever it lies in a long file, once', () => {
  const matcher = new SecretMatcher(rules)
  for (const before of [0, 16_000, 17_400, 34_000, 34_700, 52_000, 300_000]) {
    const prose = 'curl reads an address.\n\n\n\n\n\n\n\n\n\n\n\n'.repeat(before / 33)
    const text = `${prose}curl -X POST \\\n  -d world \\\n  -u developer:yqDVtkqPECri\n${prose}`
    const found = matcher.select(matcher.find(Buffer.from(text)), 'a.sh')
    expect(found.map(({ secret, index }) => [secret, index])).toEqual([
      ['developer:yqDVtkqPECri', text.indexOf('developer:')],
    ])
  }
})
