import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { SecretMatcher, secretMatcher } from '#lib/secrets/secret-matcher.ts'
import { secretRules } from '#lib/secrets/secret-rules.ts'
import { growthOf, MAX_GROWTH } from './growth.ts'

type Case = {
  readonly rule: string
  readonly path?: string
  readonly text: string
  /** What betterleaks finds with this rule alone. */
  readonly secrets: readonly string[]
}

const FIXTURE = join(import.meta.dir, '../../fixtures/secret-rules.jsonl.gz')

const cases = Buffer.from(Bun.gunzipSync(readFileSync(FIXTURE)))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)

/**
 * The scanner matches its match again, without what stands around it, and then takes the backslash
 * before the `n` of a line feed as a part of the cookie.
 */
const DIFFERS = (rule: string, text: string) =>
  rule === 'slack-session-cookie' && text.startsWith('{"config.ini"')

test('every rule finds the secrets that the scanner that it comes from finds in its own test data', () => {
  const rules = new Map(secretRules().map((rule) => [rule.id, rule]))
  const matchers = new Map<string, SecretMatcher>()
  const differing = cases.filter(({ rule: id, path, text, secrets }) => {
    const rule = rules.get(id)
    if (!rule) return true
    let matcher = matchers.get(id)
    // Alone, a rule finds what it would only need beside another.
    if (!matcher) {
      matcher = new SecretMatcher([{ ...rule, hidden: false, needs: [] }])
      matchers.set(id, matcher)
    }
    const found = matcher.find(Buffer.from(text))
    const selected = matcher.select(found, path ?? (rule.path === undefined ? '' : 'x'))
    const texts = selected.map(({ secret }) => Buffer.from(secret, 'latin1').toString())
    return !Bun.deepEquals(texts.toSorted(), secrets.toSorted())
  })
  expect(cases.length).toBe(8429)
  expect(differing.filter(({ rule, text }) => !DIFFERS(rule, text))).toEqual([])
  expect(differing.length).toBe(1)
})

test('what is added in the middle of a file, and what only its secret changes, is noticed', () => {
  const matcher = secretMatcher()
  const around = Buffer.from('one more line of text\n'.repeat(100))
  const missed = cases.flatMap(({ rule, text }) => {
    const file = Buffer.concat([around, Buffer.from(text), Buffer.from('\n'), around])
    const found = matcher.find(file)
    const whole = { start: around.length, end: file.length - around.length }
    const parts = [whole, ...found.map(({ index, secret }) => partAt(index, secret.length))]
    return found.length === 0 || parts.every((part) => matcher.hasMatchNear(file, part))
      ? []
      : [`${rule}: ${text}`]
  })
  expect(missed).toEqual([])
})

test('a rule that needs another one is found beside it, and not alone', () => {
  const rules = secretRules()
  const known = new Set(rules.map(({ id }) => id))
  expect(rules.flatMap(({ needs = [] }) => needs.filter(({ id }) => !known.has(id)))).toEqual([])
  const matcher = secretMatcher()
  const idsIn = (text: string) => matcher.find(Buffer.from(text)).map(({ rule }) => rule.id)
  const beside = {
    'ebay-client-secret': 'ebay_client_id = "AcmeLtd-Shop-PRD-a1b2c3d4e-5f6a7b8c"\n',
    'snowflake-programmatic-access-token': 'host = "acme-eu.snowflakecomputing.com"\n',
  }
  for (const [id, other] of Object.entries(beside)) {
    const texts = cases.filter(({ rule, secrets }) => rule === id && secrets.length > 0)
    expect(texts.length).toBeGreaterThan(0)
    for (const { text } of texts) {
      expect(idsIn(text)).not.toContain(id)
      expect(idsIn(`${other}${text}`)).toContain(id)
    }
  }
})

/** The middle of a secret. */
const partAt = (index: number, length: number) => ({
  start: index + Math.floor(length / 2),
  end: index + Math.floor(length / 2) + 1,
})

test('hostile texts take time in proportion to their length', () => {
  const matcher = secretMatcher()
  const words = secretRules().flatMap((rule) => rule.words)
  // Every word of every rule, with what its expression goes on with: each opens its windows.
  const line = words.map((word) => `${word} = "aA0_-.aA0_-.aA0"\n`).join('')
  const text = (bytes: number) => Buffer.alloc(bytes, line).toString()
  const run = (part: string) => void matcher.find(Buffer.from(part))
  expect(growthOf(run, text(400_000), text(100_000))).toBeLessThanOrEqual(MAX_GROWTH)
})

test('a secret at the edge of a window or of a piece is found with its place', () => {
  const matcher = secretMatcher()
  const secret = `ghp_${'aB3dE5gH7kL9mN1pQ2rS4tU6vW8xY0zA1cD3'}`
  for (const before of [0, 1, 17 * 1024 - 20, 17 * 1024, 40_000]) {
    const text = `${'x'.repeat(before)}\n${secret}`
    const found = matcher.select(matcher.find(Buffer.from(text)), 'a.txt')
    expect(found.map(({ rule, index }) => [rule.id, index])).toEqual([['github-token', before + 1]])
  }
})

test('binary files are searched for unmistakable formats only', () => {
  const secret = `ghp_${'aB3dE5gH7kL9mN1pQ2rS4tU6vW8xY0zA1cD3'}`
  const matcher = secretMatcher()
  const generic = 'api_key = "d8f7a6b5c4e3f2a1b0c9d8e7f6a5b4c3"\n'
  const types = (text: string) => matcher.find(Buffer.from(text)).map(({ rule }) => rule.id)
  expect(types(generic)).toEqual(['generic-api-key'])
  expect(types(`\0${generic}${secret}`)).toContain('github-token')
  expect(types(`\0${generic}${secret}`)).not.toContain('generic-api-key')
})
