import { expect, test } from 'bun:test'
import { nextCronTime } from '#actions'

const next = (cron: string, after: string): string | null => {
  const time = nextCronTime(cron, Date.parse(after))
  return time === null ? null : new Date(time).toISOString()
}

test.each([
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00.000Z'],
  ['*/15 * * * *', '2026-01-01T00:15:00Z', '2026-01-01T00:30:00.000Z'],
  ['0 5 * * *', '2026-01-01T05:00:00Z', '2026-01-02T05:00:00.000Z'],
  ['30 4 * * 1-5', '2026-01-02T12:00:00Z', '2026-01-05T04:30:00.000Z'],
  ['0 0 * * SUN', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00.000Z'],
  ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00.000Z'],
  ['5/20 1 * * *', '2026-01-01T01:05:00Z', '2026-01-01T01:25:00.000Z'],
  ['0 0 31 * *', '2026-04-01T00:00:00Z', '2026-05-31T00:00:00.000Z'],
  ['0 12 29 FEB *', '2026-03-01T00:00:00Z', '2028-02-29T12:00:00.000Z'],
  // Either the day of the month or that of the week is enough.
  ['0 0 13 * 5', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z'],
])('%s after %s is %s', (cron, after, expected) => {
  expect(next(cron, after)).toBe(expected)
})

test('a day that never comes is none', () => {
  expect(next('0 0 30 2 *', '2026-01-01T00:00:00Z')).toBeNull()
})
