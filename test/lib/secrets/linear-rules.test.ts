import { expect, test } from 'bun:test'
import { compileRule } from '#lib/secrets/compiled-rule.ts'
import { PIECE_BYTES } from '#lib/secrets/file-scan.ts'
import { secretRules, type SecretRule } from '#lib/secrets/secret-rules.ts'
import { attackPartsOf } from '../../../scripts/secret-rules/attack.ts'

/** A quarter of the longest text that an expression is given. */
const QUARTER = Math.floor(PIECE_BYTES / 4)
/** Shorter times are noise of the machine. */
const NOISE_MS = 4
/** A linear rule takes 4 times as long for 4 times the text, a quadratic one 16 times. */
const MAX_RATIO = 10

function matcherOf(rule: SecretRule): (text: string) => void {
  const { matchAll } = compileRule(rule)
  return (text) => void [...matchAll(text)]
}

/** Processor time of this process for a text, the shortest of some rounds. */
function cpuOf(run: (text: string) => void, text: string, rounds: number): number {
  let shortest = Infinity
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    run(text)
    const { user, system } = process.cpuUsage(before)
    shortest = Math.min(shortest, (user + system) / 1000)
  }
  return shortest
}

/** How much longer four times the text takes; null where all is too quick to be measured. */
function ratioOf(run: (text: string) => void, unit: string, start: string): number | null {
  const text = (length: number): string =>
    (start + unit.repeat(Math.ceil(length / unit.length))).slice(0, length)
  const long = cpuOf(run, text(4 * QUARTER), 1)
  if (long < NOISE_MS) return null
  const again = cpuOf(run, text(4 * QUARTER), 3)
  return again < NOISE_MS ? null : again / Math.max(cpuOf(run, text(QUARTER), 5), NOISE_MS / 8)
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
          const ratio = ratioOf(run, unit, start)
          if (ratio !== null && ratio > MAX_RATIO)
            slow.push(`${rule.id}: ${ratio.toFixed(1)} on ${JSON.stringify(start + unit)}`)
        }
  }
  expect(slow).toEqual([])
})

test('a rule of quadratic time is noticed', () => {
  const quadratic = /a*b/g
  expect(ratioOf((text) => void [...text.matchAll(quadratic)], 'a', '')).toBeGreaterThan(MAX_RATIO)
})
