import { describe, expect, test } from 'bun:test'
import { cvssScore } from '#lib/advisories/cvss.ts'
import {
  AdvisoryFault,
  affectedFinder,
  readAdvisory,
  type RangeEvent,
} from '#lib/advisories/osv.ts'
import type { Ecosystem } from '#lib/lock-files/locked-packages.ts'

const advisory = (change: object = {}) => ({
  id: 'GHSA-aaaa-bbbb-cccc',
  modified: '2026-01-02T03:04:05Z',
  summary: 'Too much\ntrust',
  affected: [
    {
      package: { ecosystem: 'npm', name: 'left' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.2.3' }] }],
      versions: ['1.0.0', '9.9.9'],
    },
  ],
  ...change,
})

/** The version that mends each of some versions; `-` for none, and nothing where it is not affected. */
const mends = (ecosystem: Ecosystem, events: RangeEvent[], versions: string) =>
  versions.split(' ').map((version) => {
    const found = affectedFinder(ecosystem, { ranges: [events], versions: [] })(version)
    return found === null ? '' : (found.fixed_in ?? '-')
  })

describe('advisories', () => {
  test('are read with what is compared', () => {
    expect(readAdvisory(advisory())).toEqual({
      id: 'GHSA-aaaa-bbbb-cccc',
      modified: '2026-01-02T03:04:05.000Z',
      withdrawn: null,
      summary: 'Too much trust',
      severity: null,
      aliases: [],
      url: null,
      affected: [
        {
          ecosystem: 'npm',
          name: 'left',
          ranges: [
            [
              ['introduced', '0'],
              ['fixed', '1.2.3'],
            ],
          ],
          versions: ['9.9.9'],
        },
      ],
    })
  })
  test('tell their severity by score, by word or by kind', () => {
    const of = (change: object) => readAdvisory(advisory(change)).severity
    expect(
      of({
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      }),
    ).toBe('critical')
    expect(of({ database_specific: { severity: 'MODERATE' } })).toBe('medium')
    expect(of({ id: 'MAL-2026-1' })).toBe('critical')
    expect(of({ severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:X' }] })).toBeNull()
  })
  test('names are compared as their ecosystem does, and systems are left out', () => {
    const named = (ecosystem: string, name: string) =>
      readAdvisory(
        advisory({ affected: [{ package: { ecosystem, name }, versions: ['1'] }] }),
      ).affected.map((one) => one.name)
    expect(named('PyPI', 'Some_Thing')).toEqual(['some-thing'])
    expect(named('NuGet', 'Newtonsoft.Json')).toEqual(['newtonsoft.json'])
    expect(named('SwiftURL', 'https://github.com/apple/swift-nio.git')).toEqual([
      'github.com/apple/swift-nio',
    ])
    expect(named('Debian:12', 'bash')).toEqual([])
  })
  test('what is no advisory is refused', () => {
    for (const value of [null, [], 'x', {}, { id: 'a b', modified: '2026' }, { id: 'X-1' }])
      expect(() => readAdvisory(value)).toThrow(AdvisoryFault)
    expect(
      readAdvisory(advisory({ affected: [null, 1, { package: [] }], aliases: 'x' })),
    ).toMatchObject({ affected: [], aliases: [] })
  })
})

describe('ranges', () => {
  test('go from what introduced the fault to what fixed it', () => {
    const events: RangeEvent[] = [
      ['fixed', '2.1.0'],
      ['introduced', '0'],
      ['introduced', '2.0.0-beta.1'],
      ['fixed', '1.5.0'],
    ]
    expect(
      mends('npm', events, '0.1.0 1.4.9 1.5.0 1.9.0 2.0.0-alpha 2.0.0-beta.1 2.0.9 2.1.0'),
    ).toEqual(['1.5.0', '1.5.0', '', '', '', '2.1.0', '2.1.0', ''])
  })
  test('may end with the last version that is affected, or with none', () => {
    expect(
      mends(
        'pypi',
        [
          ['introduced', '1.0'],
          ['last_affected', '1.5'],
        ],
        '0.9 1.0 1.5 1.5.post1',
      ),
    ).toEqual(['', '-', '-', ''])
    expect(mends('maven', [['introduced', '1.0']], '0.9 1.0-rc1 1.0 9')).toEqual(['', '', '-', '-'])
  })
  test('versions that are no versions match only by name', () => {
    const affected = { ranges: [[['introduced', '0'] as const]], versions: ['latest'] }
    expect(affectedFinder('npm', affected)('latest')).toEqual({ fixed_in: null })
    expect(affectedFinder('npm', affected)('newest')).toBeNull()
  })
})

test('scores are those of the calculator of FIRST', () => {
  for (const [vector, score] of [
    ['AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
    ['AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
    ['AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N', 1.8],
    ['AV:N/AC:H/PR:L/UI:N/S:C/C:H/I:H/A:H', 8.5],
    ['AV:P/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
    ['AV:A/AC:L/PR:H/UI:N/S:C/C:L/I:H/A:L', 7.5],
  ] as const)
    expect([vector, cvssScore(`CVSS:3.1/${vector}`)]).toEqual([vector, score])
  for (const vector of ['', 'CVSS:4.0/AV:N', 'CVSS:3.1/AV:N/AC:L', 'CVSS:3.1/AV:N/AV:N'])
    expect(cvssScore(vector)).toBeNull()
})
