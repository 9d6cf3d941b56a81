/** Filters of the rules: what they cost on hostile texts, and that both engines agree. */
import { expect, test } from 'bun:test'
import { asRe2, FilterPattern, MAX_NATIVE_CHARS } from '#lib/secrets/filter-pattern.ts'
import { LinearPattern } from '#lib/secrets/linear-pattern.ts'
import { SecretMatcher } from '#lib/secrets/secret-matcher.ts'
import { commonFilters, secretRules, type SecretFilter } from '#lib/secrets/secret-rules.ts'
import { growthOf, MAX_GROWTH, shortestCpuMs } from './growth.ts'

const sourcesOf = (drops: readonly SecretFilter[]): readonly string[] =>
  drops.flatMap((drop) => ('matches' in drop ? drop.matches : []))

/** Everything that is matched against a path, a secret, a match or its lines. */
const sources = [
  ...new Set([
    ...commonFilters().skippedPaths,
    ...sourcesOf(commonFilters().drops),
    ...secretRules().flatMap(({ path, drops = [] }) => [
      ...(path === undefined ? [] : [path]),
      ...sourcesOf(drops),
    ]),
  ]),
]

/** What the expressions of filters are made of. */
const PARTS = [
  ...['a', '0', ' ', '\n', '.', '-', '_', '"', "'", '=', ':', '/', '|', '%', '@', '+'],
  ...['{', '}', '${', '${a}', '{{', '}}', '<', '<a', '>', '$(', '[', '(', ')'],
  ...['\n---\n', 'kind:', 'data:', 'kind:\n---\n', 'data:\n---\n', ' data:'],
  ...['import { a, ', 'import {', '} from "', 'mongodb://', '://user:', '/node_modules'],
  ...['/lib/python2.1', '/a-1.', '/venv/lib/', '/vendor/bundle/', '/jquery.', 'sbp_1'],
]

const LONG = 16 * 1024

function* attacks(length: number): Generator<string> {
  const fill = (start: string, unit: string): string =>
    (start + unit.repeat(Math.ceil(length / unit.length))).slice(0, length)
  for (const part of PARTS) yield fill('', part)
  for (const part of PARTS)
    for (const unit of ['a', ' ', '0', '<', '${', '\n---\n']) yield fill(part, unit)
  // Three runs of blanks and letters in turn, which cost a cubic expression the most.
  const third = Math.floor(length / 3)
  yield `{{${' '.repeat(third)}${'aB3 '.repeat(third / 4)}${' '.repeat(third)}`
}

test('the time of every filter is linear in texts that are made to take long', () => {
  expect(sources.length).toBeGreaterThan(60)
  const quarters = [...attacks(LONG / 4)]
  const texts = [...attacks(LONG)].map((text, at) => ({ text, quarter: quarters[at] ?? '' }))
  const slow: string[] = []
  for (const source of sources) {
    const pattern = new FilterPattern(source)
    for (const { text, quarter } of texts) {
      const growth = growthOf((part) => void pattern.test(part), text, quarter)
      if (growth > MAX_GROWTH)
        slow.push(
          `${source.slice(0, 80)}: ${growth.toFixed(1)} on ${JSON.stringify(text.slice(0, 40))}`,
        )
    }
  }
  expect(slow).toEqual([])
})

test('no filter takes long for a text that is matched natively', () => {
  const slow = sources.filter((source) => {
    const pattern = new FilterPattern(source)
    return [...attacks(MAX_NATIVE_CHARS)].some(
      (text) => shortestCpuMs(() => void pattern.test(text)) > 5,
    )
  })
  expect(slow).toEqual([])
})

test('both engines say the same', () => {
  let seed = 11
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return (seed >> 8) % below
  }
  const texts = Array.from({ length: 1500 }, () =>
    Array.from({ length: 1 + random(7) }, () => PARTS[random(PARTS.length)]).join(''),
  )
  let matches = 0
  for (const source of sources) {
    const native = new RegExp(source)
    const linear = new LinearPattern(asRe2(source))
    for (const text of texts) {
      const expected = native.test(text)
      if (expected) matches++
      if (linear.test(text) !== expected)
        throw new Error(`${source} differs on ${JSON.stringify(text)}: RE2 says ${!expected}`)
    }
  }
  expect(matches).toBeGreaterThan(1000)
})

test('a long value of a configuration file does not hold up a scan, and is found', () => {
  const matcher = new SecretMatcher(secretRules())
  const random = new Bun.SHA512().update('a').digest('hex').repeat(20)
  const text = (blanks: number): Buffer =>
    Buffer.from(
      `<add key="Password" value="{{${' '.repeat(blanks)}${random.slice(0, blanks)}${' '.repeat(blanks)}*" />\n`,
    )
  matcher.find(text(10))
  expect(matcher.find(text(2000)).map(({ rule }) => rule.id)).toEqual(['nuget-config-password'])
  // It took 2.5 s when the filters backtracked.
  expect(shortestCpuMs(() => void matcher.find(text(2000)))).toBeLessThan(250)
})
