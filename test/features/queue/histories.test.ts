/**
 * Random histories; test/system/queue-histories.ts runs as many as one likes. A failure names its seed.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { makeTemplate, removeTemplate, runHistory, type Told } from './histories.ts'

let template: Awaited<ReturnType<typeof makeTemplate>>
beforeAll(async () => {
  template = await makeTemplate()
})
afterAll(() => removeTemplate(template))

const RUNS = 8
const first = Math.floor(Math.random() * 1_000_000_000)

test(`main holds tested trees in landing order and nothing is lost (${RUNS} histories from seed ${first})`, async () => {
  const all: Told[] = []
  for (let seed = first; seed < first + RUNS; seed++) {
    all.push(
      await runHistory(template, seed).catch((error: unknown) =>
        Promise.reject(
          new Error(
            `the history of seed ${seed} went wrong: ${error instanceof Error ? error.message : String(error)}`,
            { cause: error },
          ),
        ),
      ),
    )
  }
  const sum = (of: (told: Told) => number): number =>
    all.reduce((total, told) => total + of(told), 0)
  // Histories in which nothing happens prove nothing.
  expect(sum(({ landed }) => landed)).toBeGreaterThan(RUNS)
  expect(sum(({ failed }) => failed)).toBeGreaterThan(RUNS / 4)
  expect(sum(({ removed }) => removed)).toBeGreaterThan(RUNS / 4)
  expect(sum(({ crashes }) => crashes)).toBeGreaterThan(RUNS)
}, 600_000)
