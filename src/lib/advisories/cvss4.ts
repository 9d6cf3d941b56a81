/** Scores of CVSS 4.0 (https://www.first.org/cvss/v4.0/specification-document, section 8). */
import { lazy } from '../lazy.ts'

/**
 * The scores of the standard for each macro vector, the digits of EQ1 to EQ6: a line for each value
 * of the first three digits, in it the values of the last three. A dash is one that cannot occur.
 */
const SCORES = `
  10 9.9 9.8 9.5 9.5 9.2 10 9.6 9.3 8.7 9.1 8.1 9.3 9 8.9 8 8.1 6.8
  9.8 9.5 9.5 9.2 9 8.4 9.3 9.2 8.9 8.1 8.1 6.5 8.8 8 7.8 7 6.9 4.8
  - 9.2 - 8.2 - 7.2 - 7.9 - 6.9 - 5 - 6.9 - 5.5 - 2.7
  9.9 9.7 9.5 9.2 9.2 8.5 9.5 9.1 9 8.3 8.4 7.1 9.2 8.1 8.2 7.1 7.2 5.3
  9.5 9.3 9.2 8.5 8.5 7.3 9.2 8.2 8 7.2 7 5.9 8.4 7 7.1 5.2 5 3
  - 8.6 - 7.5 - 5.2 - 7.1 - 5.2 - 2.9 - 6.3 - 2.9 - 1.7
  9.8 9.5 9.4 8.7 9.1 8.1 9.4 8.9 8.6 7.4 7.7 6.4 8.7 7.5 7.4 6.3 6.3 4.9
  9.4 8.9 8.8 7.7 7.6 6.7 8.6 7.6 7.4 5.8 5.9 5 7.2 5.7 5.7 5.2 5.2 2.5
  - 8.3 - 7 - 5.4 - 6.5 - 5.8 - 2.6 - 5.3 - 2.1 - 1.3
  9.5 9 8.8 7.6 7.6 7 9 7.7 7.5 6.2 6.1 5.3 7.7 6.6 6.8 5.9 5.2 3
  8.9 7.8 7.6 6.7 6.2 5.8 7.4 5.9 5.7 5.7 4.7 2.3 6.1 5.2 5.7 2.9 2.4 1.6
  - 7.1 - 5.9 - 3 - 5.8 - 2.6 - 1.5 - 2.3 - 1.3 - 0.6
  9.3 8.7 8.6 7.2 7.5 5.8 8.6 7.4 7.4 6.1 5.6 3.4 7 5.4 5.2 4 4 2.2
  8.5 7.5 7.4 5.5 6.2 5.1 7.2 5.7 5.5 4.1 4.6 1.9 5.3 3.6 3.4 1.9 1.9 0.8
  - 6.4 - 5.1 - 2 - 4.7 - 2.1 - 1.1 - 2.4 - 0.9 - 0.4
  8.8 7.5 7.3 5.3 6 5 7.3 5.5 5.9 4 4.1 2 5.4 4.3 4.5 2.2 2 1.1
  7.5 5.5 5.8 4.5 4 2.1 6.1 5.1 4.8 1.8 2 0.9 4.6 1.8 1.7 0.7 0.8 0.2
  - 5.3 - 2.4 - 1.4 - 2.4 - 1.2 - 0.5 - 1 - 0.3 - 0.1`

const macroScores = lazy((): ReadonlyMap<string, number> => {
  const rows = SCORES.trim().split('\n')
  const scores = new Map<string, number>()
  for (const [row, line] of rows.entries())
    for (const [column, score] of line.trim().split(' ').entries()) {
      const first = [Math.floor(row / 6), Math.floor(row / 3) % 2, row % 3]
      const last = [Math.floor(column / 6), Math.floor(column / 2) % 3, column % 2]
      if (score !== '-') scores.set([...first, ...last].join(''), Number(score))
    }
  return scores
})

/** The values of each metric from the worst. Its place is its distance from the worst. */
const VALUES: Readonly<Record<string, string>> = {
  AV: 'NALP',
  AC: 'LH',
  AT: 'NP',
  PR: 'NLH',
  UI: 'NPA',
  VC: 'HLN',
  VI: 'HLN',
  VA: 'HLN',
  SC: 'SHLN',
  SI: 'SHLN',
  SA: 'SHLN',
  E: 'APU',
  CR: 'HML',
  IR: 'HML',
  AR: 'HML',
}
/** Metrics without which a vector has no score. */
const REQUIRED = ['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA']
/** Metrics that change no score, with their values. */
const SUPPLEMENTAL: Readonly<Record<string, readonly string[]>> = {
  S: ['X', 'N', 'P'],
  AU: ['X', 'N', 'Y'],
  R: ['X', 'A', 'U', 'I'],
  V: ['X', 'D', 'C'],
  RE: ['X', 'L', 'M', 'H'],
  U: ['X', 'Clear', 'Green', 'Amber', 'Red'],
}

/** The worst vectors of each level of EQ1, EQ2 and EQ4, as metrics of `VALUES`. */
const WORST: readonly (readonly (readonly string[])[])[] = [
  [
    ['AV:N PR:N UI:N'],
    ['AV:A PR:N UI:N', 'AV:N PR:L UI:N', 'AV:N PR:N UI:P'],
    ['AV:P PR:N UI:N', 'AV:A PR:L UI:P'],
  ],
  [['AC:L AT:N'], ['AC:H AT:N', 'AC:L AT:P']],
  [['SC:H SI:S SA:S'], ['SC:H SI:H SA:H'], ['SC:L SI:L SA:L']],
]
/** Those of EQ3 with EQ6, by both digits. */
const WORST_IMPACTS: Readonly<Record<string, readonly string[]>> = {
  '00': ['VC:H VI:H VA:H CR:H IR:H AR:H'],
  '01': ['VC:H VI:H VA:L CR:M IR:M AR:H', 'VC:H VI:H VA:H CR:M IR:M AR:M'],
  '10': ['VC:L VI:H VA:H CR:H IR:H AR:H', 'VC:H VI:L VA:H CR:H IR:H AR:H'],
  '11': [
    'VC:L VI:H VA:L CR:H IR:M AR:H',
    'VC:L VI:H VA:H CR:H IR:M AR:M',
    'VC:H VI:L VA:H CR:M IR:H AR:M',
    'VC:H VI:L VA:L CR:M IR:H AR:H',
    'VC:L VI:L VA:H CR:H IR:H AR:M',
  ],
  '21': ['VC:L VI:L VA:L CR:H IR:H AR:H'],
}
/** Over how many steps a level of EQ1, EQ2 and EQ4 reaches. */
const DEPTHS: readonly (readonly number[])[] = [
  [1, 4, 5],
  [1, 2],
  [6, 5, 4],
]
const IMPACT_DEPTHS: Readonly<Record<string, number>> = {
  '00': 7,
  '01': 6,
  '10': 8,
  '11': 8,
  '21': 10,
}

/** So that a half is rounded up whatever floating point makes of it, as FIRST's calculator does. */
const ROUNDING = 1e-6

type Metrics = ReadonlyMap<string, string>

/** The metrics of a vector as they count; null when it is not one. */
function readMetrics(vector: string): Metrics | null {
  const given = new Map<string, string>()
  for (const part of vector.split('/').slice(1)) {
    const [name = '', value = '', ...more] = part.split(':')
    if (more.length > 0 || given.has(name) || !isValue(name, value)) return null
    given.set(name, value)
  }
  if (REQUIRED.some((name) => !given.has(name))) return null
  const effective = new Map<string, string>()
  for (const [name, values] of Object.entries(VALUES)) {
    const modified = given.get(`M${name}`) ?? 'X'
    const own = given.get(name) ?? 'X'
    const value = modified === 'X' ? own : modified
    // What is not defined counts as the worst.
    effective.set(name, value === 'X' ? (values[0] ?? '') : value)
  }
  return effective
}

function isValue(name: string, value: string): boolean {
  const supplemental = Object.hasOwn(SUPPLEMENTAL, name) ? SUPPLEMENTAL[name] : undefined
  if (supplemental) return supplemental.includes(value)
  if (value.length !== 1) return false
  const isModified = name.startsWith('M') && REQUIRED.includes(name.slice(1))
  const base = isModified ? name.slice(1) : name
  if (!Object.hasOwn(VALUES, base)) return false
  if (value === 'X') return isModified || !REQUIRED.includes(name)
  // Safety is a value of the modified metrics of integrity and availability only.
  if (value === 'S') return name === 'MSI' || name === 'MSA'
  return VALUES[base]?.includes(value) ?? false
}

function macroVector(metrics: Metrics): number[] {
  const is = (name: string, value: string): boolean => metrics.get(name) === value
  const some = (...parts: readonly [string, string][]): boolean =>
    parts.some(([name, value]) => is(name, value))
  const open = [is('AV', 'N'), is('PR', 'N'), is('UI', 'N')]
  const eq1 = open.every(Boolean) ? 0 : open.some(Boolean) && !is('AV', 'P') ? 1 : 2
  const eq2 = is('AC', 'L') && is('AT', 'N') ? 0 : 1
  const eq3 =
    is('VC', 'H') && is('VI', 'H') ? 0 : some(['VC', 'H'], ['VI', 'H'], ['VA', 'H']) ? 1 : 2
  const eq4 = some(['SI', 'S'], ['SA', 'S'])
    ? 0
    : some(['SC', 'H'], ['SI', 'H'], ['SA', 'H'])
      ? 1
      : 2
  const eq5 = 'APU'.indexOf(metrics.get('E') ?? '')
  const isUrgent = ['C', 'I', 'A'].some((one) => is(`${one}R`, 'H') && is(`V${one}`, 'H'))
  return [eq1, eq2, eq3, eq4, eq5, isUrgent ? 0 : 1]
}

const distance = (metrics: Metrics, name: string, worst: string): number => {
  const values = VALUES[name] ?? ''
  return values.indexOf(metrics.get(name) ?? '') - values.indexOf(worst)
}

/** The steps from the first of these vectors that is at least as bad in each metric. */
function stepsFrom(metrics: Metrics, worst: readonly string[]): number {
  for (const vector of worst) {
    const steps = vector.split(' ').map((part) => {
      const [name = '', value = ''] = part.split(':')
      return distance(metrics, name, value)
    })
    if (steps.every((step) => step >= 0)) return steps.reduce((sum, step) => sum + step, 0)
  }
  return 0
}

/** The score of the next lower macro vector of EQ3 with EQ6; null when there is none. */
function lowerImpact(
  score: (digits: readonly number[]) => number | null,
  macro: readonly number[],
) {
  const [eq1 = 0, eq2 = 0, eq3 = 0, eq4 = 0, eq5 = 0, eq6 = 0] = macro
  const at = (three: number, six: number) => score([eq1, eq2, three, eq4, eq5, six])
  if (eq3 === 0 && eq6 === 0) {
    const [left, right] = [at(0, 1), at(1, 0)]
    return left === null || right === null ? (left ?? right) : Math.max(left, right)
  }
  return eq6 === 1 ? at(eq3 + 1, 1) : at(eq3, 1)
}

/** Null for what is no vector of CVSS 4.0 with all base metrics. */
export function cvss4Score(vector: string): number | null {
  const metrics = readMetrics(vector)
  if (metrics === null) return null
  if (['VC', 'VI', 'VA', 'SC', 'SI', 'SA'].every((name) => metrics.get(name) === 'N')) return 0
  const macro = macroVector(metrics)
  const score = (digits: readonly number[]) => macroScores().get(digits.join('')) ?? null
  const value = score(macro)
  if (value === null) return null
  const lowered = (eq: number) => score(macro.map((digit, at) => (at === eq ? digit + 1 : digit)))
  const impact = `${macro[2]}${macro[5]}`
  const parts: readonly [lower: number | null, steps: number, depth: number][] = [
    ...[0, 1, 3].map((eq, at): [number | null, number, number] => [
      lowered(eq),
      stepsFrom(metrics, WORST[at]?.[macro[eq] ?? 0] ?? []),
      DEPTHS[at]?.[macro[eq] ?? 0] ?? 1,
    ]),
    [
      lowerImpact(score, macro),
      stepsFrom(metrics, WORST_IMPACTS[impact] ?? []),
      IMPACT_DEPTHS[impact] ?? 1,
    ],
    // EQ5 has one metric, so a vector is always the worst of its level.
    [lowered(4), 0, 1],
  ]
  const losses = parts.flatMap(([lower, steps, depth]) =>
    lower === null ? [] : [(value - lower) * (steps / depth)],
  )
  const loss = losses.length === 0 ? 0 : losses.reduce((sum, one) => sum + one, 0) / losses.length
  return Math.round((Math.min(Math.max(value - loss, 0), 10) + ROUNDING) * 10) / 10
}
