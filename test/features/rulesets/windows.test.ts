import { expect, test } from 'bun:test'
import {
  minutesOf,
  momentOf,
  offsetOf,
  openingAt,
  type MergeWindow,
} from '#features/rulesets/windows.ts'

const at = (text: string): number => Date.parse(text)
const rule = (change: Partial<MergeWindow>): MergeWindow => ({
  time_zone: '+00:00',
  windows: [],
  freezes: [],
  ...change,
})
const look = (change: Partial<MergeWindow>, now: string) => {
  const { open, opens_at } = openingAt(rule(change), at(now))
  return open
    ? 'open'
    : opens_at === null
      ? 'never'
      : new Date(opens_at).toISOString().replace(':00.000Z', 'Z')
}
// 2026-03-02 was a Monday.
const office = [
  { days: ['mon', 'tue', 'wed', 'thu', 'fri'] as const, start: '09:00', end: '17:00' },
]
const nights = [{ days: ['fri'] as const, start: '22:00', end: '04:00' }]

test('days and hours, the end not included', () => {
  expect(look({ windows: office }, '2026-03-02T09:00:00Z')).toBe('open')
  expect(look({ windows: office }, '2026-03-02T16:59:59Z')).toBe('open')
  expect(look({ windows: office }, '2026-03-02T17:00:00Z')).toBe('2026-03-03T09:00Z')
  expect(look({ windows: office }, '2026-03-06T18:00:00Z')).toBe('2026-03-09T09:00Z')
  expect(look({ windows: office }, '2026-03-02T08:59:59Z')).toBe('2026-03-02T09:00Z')
})

test('in the rule’s own offset', () => {
  expect(look({ windows: office, time_zone: '+05:30' }, '2026-03-02T03:29:00Z')).toBe(
    '2026-03-02T03:30Z',
  )
  expect(look({ windows: office, time_zone: '+05:30' }, '2026-03-02T03:30:00Z')).toBe('open')
  expect(look({ windows: office, time_zone: '-08:00' }, '2026-03-03T00:59:00Z')).toBe('open')
  expect(look({ windows: office, time_zone: '-08:00' }, '2026-03-07T01:00:00Z')).toBe(
    '2026-03-09T17:00Z',
  )
})

test('past midnight, and whole days', () => {
  expect(look({ windows: nights }, '2026-03-06T21:59:00Z')).toBe('2026-03-06T22:00Z')
  expect(look({ windows: nights }, '2026-03-06T23:30:00Z')).toBe('open')
  expect(look({ windows: nights }, '2026-03-07T03:59:00Z')).toBe('open')
  expect(look({ windows: nights }, '2026-03-07T04:00:00Z')).toBe('2026-03-13T22:00Z')
  expect(
    look({ windows: [{ days: ['mon'], start: '00:00', end: '24:00' }] }, '2026-03-02T23:59:00Z'),
  ).toBe('open')
  expect(
    look({ windows: [{ days: ['mon'], start: '00:00', end: '24:00' }] }, '2026-03-03T00:00:00Z'),
  ).toBe('2026-03-09T00:00Z')
  expect(
    look({ windows: [{ days: ['mon'], start: '12:00', end: '12:00' }] }, '2026-03-03T11:00:00Z'),
  ).toBe('open')
})

test('freezes shut windows, and the next opening is after them', () => {
  const freezes = [{ start: '2026-03-02', end: '2026-03-03', reason: '' }]
  expect(look({ freezes }, '2026-03-01T23:59:00Z')).toBe('open')
  expect(look({ freezes }, '2026-03-02T12:00:00Z')).toBe('2026-03-04T00:00Z')
  expect(look({ freezes, windows: office }, '2026-03-02T12:00:00Z')).toBe('2026-03-04T09:00Z')
  expect(look({ freezes, windows: office }, '2026-03-01T12:00:00Z')).toBe('2026-03-04T09:00Z')
  expect(
    look(
      {
        freezes: [{ start: '2026-03-02T10:00:00+02:00', end: '2026-03-02T11:00', reason: '' }],
        time_zone: '+01:00',
        windows: office,
      },
      '2026-03-02T08:30:00Z',
    ),
  ).toBe('2026-03-02T10:00Z')
  expect(
    openingAt(
      rule({ freezes: [{ start: '2026-03-02', end: '2026-03-03', reason: 'Audit' }] }),
      at('2026-03-02T12:00:00Z'),
    ).freeze?.reason,
  ).toBe('Audit')
  const meeting = [
    { start: '2026-03-02', end: '2026-03-03', reason: '' },
    { start: '2026-03-04', end: '2026-03-05', reason: '' },
  ]
  expect(look({ freezes: meeting }, '2026-03-02T12:00:00Z')).toBe('2026-03-06T00:00Z')
  expect(
    look(
      { freezes: [{ start: '2020-01-01', end: '2099-12-31', reason: '' }], windows: office },
      '2026-03-02T12:00:00Z',
    ),
  ).toBe('never')
})

test('what is no time, offset or date is none', () => {
  expect(['09:00', '24:00', '24:01', '9:00', '12:60', ''].map(minutesOf)).toEqual([
    540,
    1440,
    null,
    null,
    null,
    null,
  ])
  expect(['+00:00', '-03:30', '+14:00', '+14:01', 'Z', '+2:00'].map(offsetOf)).toEqual([
    0,
    -210,
    840,
    null,
    null,
    null,
  ])
  expect(
    ['soon', '2026-13-01', '26-01-01', '2026-03-01T25:00', ''].map((text) =>
      momentOf(text, 0, 'start'),
    ),
  ).toEqual([null, null, null, null, null])
})
