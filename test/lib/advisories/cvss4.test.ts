import { expect, test } from 'bun:test'
import { cvssScore } from '#lib/advisories/cvss.ts'

/** The examples of FIRST (https://www.first.org/cvss/v4.0/examples), and scores of its calculator. */
const SCORES: Readonly<Record<string, number>> = {
  'AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N': 7.3,
  'AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N': 7.7,
  'AV:L/AC:L/AT:N/PR:N/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N': 4.6,
  'AV:N/AC:L/AT:N/PR:N/UI:A/VC:N/VI:N/VA:N/SC:L/SI:L/SA:N': 5.1,
  'AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:L/VA:N/SC:N/SI:N/SA:N': 6.9,
  'AV:L/AC:L/AT:N/PR:H/UI:N/VC:N/VI:N/VA:N/SC:H/SI:N/SA:N': 5.9,
  'AV:L/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H': 9.3,
  'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N': 8.7,
  'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H': 10,
  'AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N': 0,
  // A half is rounded up.
  'AV:N/AC:L/AT:N/PR:N/UI:P/VC:H/VI:L/VA:N/SC:H/SI:H/SA:H': 8.6,
  // Threat and environment count when they are given, supplemental metrics never.
  'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N': 9.3,
  'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U/S:P/AU:Y/R:I/V:C/RE:H/U:Red': 8.1,
  'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/MSI:S': 10,
}

test('vectors of CVSS 4.0 have the scores of the standard', () => {
  for (const [vector, score] of Object.entries(SCORES))
    expect([vector, cvssScore(`CVSS:4.0/${vector}`)]).toEqual([vector, score])
})

test('what is no vector has no score', () => {
  const base = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'
  for (const vector of [
    'CVSS:4.0/',
    base.replace('/AT:N', ''),
    base.replace('SI:N', 'SI:S'),
    `${base}/AV:N`,
    `${base}/E:Z`,
    `${base}/U:Pink`,
    `${base}/toString:N`,
    `${base}/E:A:A`,
    `${base}/`,
    `${base}${'/E:X'.repeat(50)}`,
  ])
    expect([vector, cvssScore(vector)]).toEqual([vector, null])
})
