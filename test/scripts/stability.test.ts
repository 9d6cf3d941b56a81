import { expect, test } from 'bun:test'
import { slopeAnHour, type Vitals } from '../../scripts/bench/forge/vitals.ts'
import { growthOf } from '../../scripts/bench/stability.ts'

const still: Vitals = {
  at: 0,
  resident: 150,
  own: 90,
  heap: 40,
  cpu: 1,
  fds: 30,
  threads: 12,
  database: 2,
  wal: 8,
  repos: 1,
  repo_files: 5,
  tmp_files: 3,
  other: 1,
  log: 1,
}
const over = (count: number, change: (n: number) => Partial<Vitals>): Vitals[] =>
  Array.from({ length: count }, (_, n) => ({ ...still, at: n * 60_000, ...change(n) }))
const idle = over(5, () => ({}))

test('what goes up and comes down again is no growth', () => {
  expect(
    growthOf(
      over(30, (n) => ({
        own: 150 + (n % 5) * 40,
        fds: 30 + (n % 7) * 30,
        tmp_files: 3 + (n % 2),
      })),
      idle,
      idle,
    ),
  ).toEqual([])
})

test('each thing that keeps growing is named', () => {
  const wrong = growthOf(
    over(30, (n) => ({ own: 100 + n * 20, wal: 8 + n * 4 })),
    idle,
    over(5, () => ({ fds: 80, threads: 40, tmp_files: 4 })),
  )
  expect(
    wrong.map((line) => /memory|descriptors|threads|tmp|write-ahead/.exec(line)?.[0]).sort(),
  ).toEqual(['descriptors', 'memory', 'threads', 'tmp', 'write-ahead'])
})

test('a slope is by the hour', () => {
  expect(
    slopeAnHour(
      over(10, (n) => ({ own: n })),
      ({ own }) => own,
    ),
  ).toBeCloseTo(60)
  expect(slopeAnHour(idle, ({ own }) => own)).toBe(0)
})
