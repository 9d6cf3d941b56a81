/**
 * Scores of CVSS: base scores of 3.0 and 3.1
 * (https://www.first.org/cvss/v3.1/specification-document, 7.1), and scores of 4.0.
 */
import { cvss4Score } from './cvss4.ts'

const WEIGHTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
}
/** Privileges weigh more when the scope changes. */
const PRIVILEGES = {
  U: { N: 0.85, L: 0.62, H: 0.27 },
  C: { N: 0.85, L: 0.68, H: 0.5 },
} as const

/** The qualitative rating of a score (section 5). A score of 0 counts as low. */
export function severityOfScore(score: number): 'low' | 'medium' | 'high' | 'critical' {
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  return score >= 4 ? 'medium' : 'low'
}

/** Up to the next tenth, without the faults of floating point (appendix A). */
function roundUp(value: number): number {
  const scaled = Math.round(value * 100_000)
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10
}

/** Null for a vector of another version or without a metric. */
export function cvssScore(vector: string): number | null {
  if (vector.length <= 200 && vector.startsWith('CVSS:4.0/')) return cvss4Score(vector)
  if (vector.length > 200 || !/^CVSS:3\.[01]\//.test(vector)) return null
  const metrics = new Map(vector.split('/').map((part) => part.split(':', 2) as [string, string]))
  const of = (name: string): number => WEIGHTS[name]?.[metrics.get(name) ?? ''] ?? Number.NaN
  const scope = metrics.get('S')
  if (scope !== 'U' && scope !== 'C') return null
  const privileges: number | undefined =
    PRIVILEGES[scope][(metrics.get('PR') ?? '') as keyof (typeof PRIVILEGES)['U']]
  const exploitability = 8.22 * of('AV') * of('AC') * (privileges ?? Number.NaN) * of('UI')
  const base = 1 - (1 - of('C')) * (1 - of('I')) * (1 - of('A'))
  const impact = scope === 'U' ? 6.42 * base : 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15
  if (Number.isNaN(exploitability) || Number.isNaN(impact)) return null
  if (impact <= 0) return 0
  const total = (scope === 'U' ? 1 : 1.08) * (impact + exploitability)
  return roundUp(Math.min(total, 10))
}
