import { expect, test } from 'bun:test'
import { comparatorText, intervalsOf, nugetRange } from '#lib/advisories/intervals.ts'
import type { AffectedVersions } from '#lib/advisories/osv.ts'

const AFFECTED: AffectedVersions = {
  ranges: [
    [
      ['introduced', '0'],
      ['fixed', '1.2.0'],
      ['introduced', '2.0.0'],
      ['last_affected', '2.5.0'],
      ['introduced', '3.0.0'],
    ],
  ],
  versions: ['1.9.9'],
}

test('ranges are written as each client reads them', () => {
  const intervals = intervalsOf('npm', AFFECTED)
  expect(comparatorText(intervals)).toBe('<1.2.0 || >=2.0.0 <=2.5.0 || >=3.0.0 || 1.9.9')
  expect(comparatorText(intervals, { and: ',', or: '|' })).toBe(
    '<1.2.0|>=2.0.0,<=2.5.0|>=3.0.0|1.9.9',
  )
  expect(intervals.map(nugetRange)).toEqual(['(, 1.2.0)', '[2.0.0, 2.5.0]', '[3.0.0, )', '[1.9.9]'])
  expect(
    comparatorText(intervalsOf('npm', { ranges: [[['introduced', '0']]], versions: [] })),
  ).toBe('*')
})
