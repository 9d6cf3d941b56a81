// The form of a ruleset has a slot for each of its rules, one for each missing type, and one more
// for types that can repeat. The fields of a slot are named `<type>-<n>.<parameter>`, so the form
// works without a script.
import type { Ruleset, RuleType } from '#features/rulesets/index.ts'
import { invalid } from '#lib/errors.ts'
import type { Fields } from '../../site.ts'
import { freezeOf, RULE_GROUPS, RULE_TYPE_FORMS, windowOf, type FieldSpec } from './rule-types.ts'
import { t } from '../../text.ts'

type Rule = Ruleset['rules'][number]
export type Slot = { readonly key: string; readonly type: RuleType; readonly rule: Rule | null }

const TYPES: readonly RuleType[] = RULE_GROUPS.flatMap(({ types }) => types)

/** The slots of one type of rule. */
export function slotsOf(type: RuleType, rules: readonly Rule[], typed: Fields): Slot[] {
  const own = rules.filter((rule) => rule.type === type)
  const spare = own.length === 0 || RULE_TYPE_FORMS[type].several ? 1 : 0
  const sent = typed
    .names()
    .flatMap((name) =>
      name.startsWith(`${type}-`) ? [Number(/-(\d+)\./.exec(name)?.[1] ?? -1)] : [],
    )
  const count = Math.min(50, Math.max(own.length + spare, ...sent.map((at) => at + 1)))
  return Array.from({ length: count }, (_, at) => ({
    key: `${type}-${at}`,
    type,
    rule: own[at] ?? null,
  }))
}

/** The ticked slots, in the order of the operation's input. */
const ticked = (fields: Fields): Slot[] =>
  TYPES.flatMap((type) => slotsOf(type, [], fields)).filter(({ key }) => fields.ticked(`${key}.on`))

function valueOf(fields: Fields, key: string, spec: FieldSpec, at: string): unknown {
  const name = `${key}.${spec.name}`
  const field = `${at}.parameters.${spec.name}`
  if (spec.kind === 'flag') return fields.ticked(name)
  if (spec.kind === 'ticks') return fields.all(name)
  if (spec.kind === 'lines') return fields.list(name)
  if (spec.kind === 'windows')
    return fields
      .list(name)
      .map((line) => windowOf(line) ?? refuse(field, line, 'mon-fri 09:00-17:00'))
  if (spec.kind === 'freezes')
    return fields
      .list(name)
      .map((line) => freezeOf(line) ?? refuse(field, line, '2026-12-20 2027-01-03 Holidays'))
  const text = fields.optional(name)
  if (spec.kind === 'choice' || spec.kind === 'text') return text
  if (text === undefined) return undefined
  const number = Number(text)
  if (Number.isNaN(number))
    throw invalid(field, t('{text} is not a number', { text: JSON.stringify(text) }))
  return spec.kind === 'size' ? Math.round(number * 1_048_576) : number
}

function refuse(field: string, line: string, like: string): never {
  throw invalid(
    field,
    t('{line} cannot be read; write it like {like}', {
      line: JSON.stringify(line.slice(0, 60)),
      like,
    }),
  )
}

/** The ticked rules as an operation's input. Throws 422 for an invalid line. */
export const rulesFrom = (fields: Fields) =>
  ticked(fields).map(({ key, type }, index) => ({
    type,
    applies_to:
      fields.text(`${key}.applies_to`) === 'agents' ? ('agents' as const) : ('everyone' as const),
    parameters: Object.fromEntries(
      RULE_TYPE_FORMS[type].fields
        .map((spec) => [spec.name, valueOf(fields, key, spec, `rules[${index}]`)])
        .filter(([, value]) => value !== undefined),
    ),
  }))

/**
 * The slot and parameter that a refusal such as `rules[2].parameters.windows[0].start` is about.
 * Null for other fields.
 */
export function slotOfError(
  field: string | null | undefined,
  typed: Fields,
): { key: string; type: RuleType; parameter: string | null } | null {
  const [, index, parameter] = /^rules\[(\d+)\](?:\.parameters\.(\w+)|\b)/.exec(field ?? '') ?? []
  const slot = index === undefined ? undefined : ticked(typed)[Number(index)]
  return slot ? { key: slot.key, type: slot.type, parameter: parameter ?? null } : null
}

/** The bypass actors of the form. Empty rows are left out. */
export const bypassFrom = (fields: Fields) =>
  fields.all('bypass_value').flatMap((value, at) => {
    const text = value.trim()
    if (text === '') return []
    const kind =
      (['team', 'user', 'role', 'workspace_token'] as const).find(
        (known) => known === fields.all('bypass_kind')[at],
      ) ?? 'user'
    return [
      {
        kind,
        value: text,
        mode:
          fields.all('bypass_mode')[at] === 'pull_request'
            ? ('pull_request' as const)
            : ('always' as const),
      },
    ]
  })

/** The row that a refusal is about, or -1. */
export function bypassRowOfError(field: string | null | undefined, typed: Fields): number {
  const [, index] = /^bypass_actors\[(\d+)\]/.exec(field ?? '') ?? []
  if (index === undefined) return -1
  const rows = typed.all('bypass_value').flatMap((value, at) => (value.trim() === '' ? [] : [at]))
  return rows[Number(index)] ?? -1
}
