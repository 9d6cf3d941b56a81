import { expect, test } from 'bun:test'
import { compileRule } from '#lib/secrets/compiled-rule.ts'
import { PIECE_BYTES } from '#lib/secrets/file-scan.ts'
import { secretRules, type SecretRule } from '#lib/secrets/secret-rules.ts'
import { attackPartsOf } from '../../../scripts/secret-rules/attack.ts'
import { growthOf, MAX_GROWTH } from './growth.ts'

/** A quarter of the longest text that an expression is given. */
const QUARTER = Math.floor(PIECE_BYTES / 4)
function matcherOf(rule: SecretRule): (text: string) => void {
  const { matchAll } = compileRule(rule)
  return (text) => void [...matchAll(text)]
}

/** How many times longer four times the text takes. */
function growthOn(run: (text: string) => void, unit: string, start: string): number {
  const text = (length: number): string =>
    (start + unit.repeat(Math.ceil(length / unit.length))).slice(0, length)
  return growthOf(run, text(4 * QUARTER), text(QUARTER))
}

test('the time of every rule is linear in texts that are made to take long', () => {
  // The time of RE2 is linear whatever the expression is.
  const rules = secretRules().filter(({ linear }) => !linear)
  expect(rules.length).toBeGreaterThan(300)
  const slow: string[] = []
  for (const rule of rules) {
    const run = matcherOf(rule)
    for (const word of rule.words)
      for (const part of attackPartsOf(rule))
        for (const [unit, start] of [
          [word + part, ''],
          [part, word],
        ] as const) {
          const growth = growthOn(run, unit, start)
          if (growth > MAX_GROWTH)
            slow.push(`${rule.id}: ${growth.toFixed(1)} on ${JSON.stringify(start + unit)}`)
        }
  }
  expect(slow).toEqual([])
})

test('a rule of quadratic time is noticed', () => {
  const quadratic = /a*b/g
  const run = (text: string): void => void [...text.matchAll(quadratic)]
  expect(growthOn(run, 'a', '')).toBeGreaterThan(MAX_GROWTH)
})
