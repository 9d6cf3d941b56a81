/**
 * Turns a rule of an input into its stored form. The schema of its type was checked before; here
 * defaults are filled in, texts are trimmed, and what a schema cannot say is checked: RE2 syntax,
 * teams, dates, and that a rule does anything at all.
 */
import { Value } from 'typebox/value'
import { ALERT_KINDS } from '#features/pulls/index.ts'
import { invalid } from '#lib/errors.ts'
import { requirePattern } from './patterns.ts'
import {
  MERGE_METHODS,
  RULE_PARAMETERS,
  type AUDIENCES,
  type PatternParameters,
  type Rule,
  type RuleParameters,
  type RuleType,
} from './rule-parameters.ts'
import type { Target } from './schema.ts'
import { DAYS, momentOf, offsetOf } from './windows.ts'

/** Returns the id of the team that a text names; throws 422 at the field when there is none. */
export type TeamLookup = (text: string, field: string) => string

/** What normalizing parameters needs: `field` is their place, such as `rules[0].parameters`. */
type Scope = { readonly field: string; readonly teamId: TeamLookup }

/** Collapses white space; null for nothing. */
const oneLineOrNull = (text: string | null): string | null =>
  text?.replace(/\s+/g, ' ').trim() || null

/** Trims texts and drops repeated ones. Throws 422 for control characters. */
function distinctTexts(
  values: readonly string[],
  field: string,
  read: (text: string, field: string) => string = (text) => text,
): string[] {
  return [
    ...new Set(
      values.map((value, index) => {
        const place = `${field}[${index}]`
        const text = value.trim()
        if (text === '' || /[\x00-\x1f\x7f]/.test(text))
          throw invalid(place, `${lastName(place)} must be text without control characters`)
        return read(text, place)
      }),
    ),
  ]
}

const lastName = (field: string): string => field.slice(field.lastIndexOf('.') + 1)

const pattern = (given: PatternParameters, { field }: Scope): PatternParameters => ({
  ...given,
  pattern: requirePattern(given.pattern, `${field}.pattern`),
  message: oneLineOrNull(given.message),
})

function mergeWindow(
  given: RuleParameters['merge_window'],
  { field, teamId }: Scope,
): RuleParameters['merge_window'] {
  const time_zone = oneLineOrNull(given.time_zone) ?? '+00:00'
  const offset = offsetOf(time_zone)
  if (offset === null)
    throw invalid(`${field}.time_zone`, 'time_zone must be an offset from UTC, such as +02:00')
  if (given.windows.length === 0 && given.freezes.length === 0)
    throw invalid(`${field}.windows`, 'merge_window needs windows or freezes')
  const freezes = given.freezes.map(({ start, end, reason }, index) => {
    const place = `${field}.freezes[${index}]`
    const [from, to] = (['start', 'end'] as const).map((name) => {
      const at = momentOf(name === 'start' ? start : end, offset, name)
      if (at !== null) return at
      throw invalid(`${place}.${name}`, `${name} must be a date (2026-12-24) or an RFC 3339 time`)
    })
    if (from === undefined || to === undefined || from >= to)
      throw invalid(`${place}.end`, 'a freeze must end after it starts')
    return { start, end, reason: oneLineOrNull(reason) ?? '' }
  })
  return {
    time_zone,
    windows: given.windows.map((window) => ({
      ...window,
      days: DAYS.filter((day) => window.days.includes(day)),
    })),
    freezes,
    // A name with a slash is a team. Where there is no such team, it is a label with a slash.
    exceptions: distinctTexts(given.exceptions, `${field}.exceptions`, (text, place) =>
      text.includes('/') ? teamOrLabel(teamId, text, place) : text,
    ),
  }
}

function teamOrLabel(teamId: TeamLookup, text: string, field: string): string {
  try {
    return teamId(text, field)
  } catch {
    return text
  }
}

function changeSize(
  given: RuleParameters['change_size'],
  { field }: Scope,
): RuleParameters['change_size'] {
  if (given.max_files === null && given.max_lines === null)
    throw invalid(`${field}.max_files`, 'change_size needs max_files or max_lines')
  return { ...given, exclude: distinctTexts(given.exclude, `${field}.exclude`) }
}

/** What each type does beyond its schema. */
const NORMALIZE: {
  readonly [T in RuleType]?: (given: RuleParameters[T], scope: Scope) => RuleParameters[T]
} = {
  merge_window: mergeWindow,
  pull_request: (given) => ({
    ...given,
    allowed_methods:
      given.allowed_methods.length === 0
        ? [...MERGE_METHODS]
        : MERGE_METHODS.filter((method) => given.allowed_methods.includes(method)),
  }),
  human_approval: (given, { field, teamId }) => ({
    ...given,
    paths: distinctTexts(given.paths, `${field}.paths`),
    from: distinctTexts(given.from, `${field}.from`, teamId),
  }),
  required_checks: (given, { field }) => ({
    ...given,
    contexts: distinctTexts(given.contexts, `${field}.contexts`),
  }),
  session_required: (given, { field }) => ({
    ...given,
    kinds: distinctTexts(given.kinds, `${field}.kinds`),
  }),
  security_alerts: (given, { field }) => ({
    ...given,
    kinds:
      given.kinds.length === 0
        ? ['code', 'dependency']
        : ALERT_KINDS.filter((kind) => given.kinds.includes(kind)),
    tools: distinctTexts(given.tools, `${field}.tools`),
  }),
  change_size: changeSize,
  path_restriction: (given, { field }) => ({
    ...given,
    paths: distinctTexts(given.paths, `${field}.paths`),
  }),
  file_extension: (given, { field }) => ({
    extensions: distinctTexts(given.extensions, `${field}.extensions`, (text) =>
      text.replace(/^\*?\./, '').toLowerCase(),
    ),
  }),
  commit_message: pattern,
  commit_author_email: pattern,
  branch_name: pattern,
  tag_name: pattern,
}

/** Types about merging into a branch. */
const MERGE_TYPES: readonly RuleType[] = [
  'merge_window',
  'cost_cap',
  'pull_request',
  'human_approval',
  'required_checks',
  'acceptance_checks',
  'session_required',
  'security_alerts',
  'change_size',
  'merge_queue',
  'max_open_pulls',
]

/** Why a rule of this type cannot apply to such a target; null when it can. */
export function targetProblem(type: RuleType, target: Target): string | null {
  if (MERGE_TYPES.includes(type))
    return target === 'branch'
      ? null
      : `${type} is about merging into branches: use the target branch`
  if (type === 'linear_history' && target === 'tag')
    return 'linear_history is about branches: use the target branch'
  if (type === 'branch_name' && target === 'tag')
    return 'branch_name is about branches: use the target branch or push'
  if (type === 'tag_name' && target === 'branch')
    return 'tag_name is about tags: use the target tag or push'
  return null
}

/** The given values, with the defaults of the schema for all others, in the schema's order. */
function withDefaults(schema: unknown, given: unknown): unknown {
  if (Array.isArray(given)) {
    const { items } = schema as { items?: unknown }
    return items === undefined ? given : given.map((item) => withDefaults(items, item))
  }
  const { properties } = schema as { properties?: Record<string, { default?: unknown }> }
  if (properties === undefined || typeof given !== 'object' || given === null) return given
  const values = new Map(Object.entries(given))
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      withDefaults(property, values.get(name) ?? property.default),
    ]),
  )
}

/**
 * The stored form of one rule. Throws 422 that names what is wrong; `at` is the rule's place, such
 * as `rules[0]`.
 */
export function readRule<T extends RuleType>(
  given: {
    type: T
    parameters?: Record<string, unknown> | null
    applies_to?: (typeof AUDIENCES)[number]
  },
  at: string,
  target: Target,
  teamId: TeamLookup,
): Rule {
  const { type, applies_to = 'everyone' } = given
  const wrongTarget = targetProblem(type, target)
  if (wrongTarget !== null) throw invalid(`${at}.type`, wrongTarget)
  const field = `${at}.parameters`
  const whole = withDefaults(RULE_PARAMETERS[type], given.parameters ?? {})
  if (!isWhole(type, whole)) throw invalid(field, `${field} must be those of ${type}`)
  const parameters = NORMALIZE[type]?.(whole, { field, teamId }) ?? whole
  return { type, parameters, applies_to } as Rule
}

/** Whether parameters match the stored form of their type. */
const isWhole = <T extends RuleType>(type: T, whole: unknown): whole is RuleParameters[T] =>
  Value.Check(RULE_PARAMETERS[type], whole)
