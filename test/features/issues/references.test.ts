import { expect, test } from 'bun:test'
import { readReferences } from '#features/issues/references.ts'
import { looksLikeCommit } from '#lib/reference-pattern.ts'

test('names of people and teams, each once and in lower case', () => {
  expect(
    readReferences('Hi @Ada, (@mel) @ada and @acme/Core. @a--b @-x mail@x.test @@y x@z @max/')
      .mentions,
  ).toEqual(['ada', 'mel', 'acme/core'])
})

test('what stands in code, links, comments and quotes names nobody', () => {
  const text =
    '`@code` [@link](https://x.test/@path) <!-- @hidden --> <code>@raw</code>\n\n```\n@block #3\n```\n\n    @indented\n\n> @quoted #4\n\n<script>@script</script>\n\n@real'
  expect(readReferences(text)).toEqual({
    mentions: ['real'],
    numbers: [{ repo: null, number: 4 }],
    commits: [],
  })
})

test('numbers, with a repository or without, and addresses of this site', () => {
  const text =
    'See #12, acme/Site#3 and #12 again; not a#5, &#39; or #0. https://hearth.test/acme/site/pull/7 https://hearth.test/acme/site/issues/8#cmt_1 https://else.test/acme/site/pull/9'
  expect(readReferences(text, 'https://hearth.test').numbers).toEqual([
    { repo: null, number: 12 },
    { repo: 'acme/site', number: 3 },
    { repo: 'acme/site', number: 7 },
    { repo: 'acme/site', number: 8 },
  ])
})

test('ids of commits, but neither words nor years', () => {
  expect(
    readReferences('deadbee1 acme/site@0123abc decade defaced 20260301 DEADBEE1 v1.deadbee1.x')
      .commits,
  ).toEqual([
    { repo: null, sha: 'deadbee1' },
    { repo: 'acme/site', sha: '0123abc' },
  ])
  expect(looksLikeCommit('a'.repeat(40))).toBe(true)
  expect(looksLikeCommit('12345678')).toBe(false)
})

test('a text full of names is read up to a limit, and quickly enough to be hostile', () => {
  expect(
    readReferences(Array.from({ length: 500 }, (_, at) => `@p${at} #${at + 1}`).join(' ')).mentions,
  ).toHaveLength(50)
  for (const text of [
    '@'.repeat(65_536),
    '<'.repeat(65_536),
    '<a '.repeat(20_000),
    `<!--${'-'.repeat(60_000)}`,
    '> '.repeat(30_000),
    '[a]('.repeat(16_000),
    '#1'.repeat(30_000),
    'a/'.repeat(32_000),
  ]) {
    expect(readReferences(text).mentions).toEqual([])
  }
})

test('only the beginning of a text of countless references is looked at', () => {
  const before = readReferences(`${'#1 '.repeat(999)}@ada #2`)
  expect([before.numbers.map(({ number }) => number), before.mentions]).toEqual([[1], ['ada']])
  const after = readReferences(`${'#1 '.repeat(999)}@ada #2\n\n- #3`)
  expect(after).toEqual(before)
})
