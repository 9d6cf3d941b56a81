/**
 * The parameters of every type of rule, as TypeBox schemas. One schema per type is the stored and
 * returned form, in which every parameter has a value. `newParameters` derives the input form: a
 * parameter with a `default` may be left out or null. Both forms are published by OpenAPI and the
 * tools, so a parameter is described and limited only here.
 */
import type { TObject, TProperties, TSchema } from 'typebox'
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts'
import { ALERT_KINDS, ALERT_SEVERITIES } from '#features/pulls/index.ts'
import { DAYS } from './windows.ts'

export const AUDIENCES = ['everyone', 'agents'] as const
export const RULE_TYPES = [
  'merge_window',
  'cost_cap',
  'pull_request',
  'human_approval',
  'required_checks',
  'acceptance_checks',
  'session_required',
  'security_alerts',
  'change_size',
  'path_restriction',
  'file_size',
  'file_extension',
  'creation',
  'update',
  'deletion',
  'non_fast_forward',
  'linear_history',
  'signed_commits',
  'commit_message',
  'commit_author_email',
  'branch_name',
  'tag_name',
  'merge_queue',
  'immutable_releases',
  'max_open_pulls',
] as const
export type RuleType = (typeof RULE_TYPES)[number]

export const MERGE_METHODS = ['merge', 'squash', 'rebase'] as const
export const MAX_REASON_LENGTH = 300

/**
 * What is wrong with a value, where the limits in the schema do not say it well. `x-` names are for
 * this program only and are not published.
 */
const problem = (text: string) => ({ 'x-problem': text })

const Flag = (description: string) => Type.Boolean({ default: false, description })

const Whole = (
  limits: { minimum: number; maximum: number; default?: number },
  description: string,
) => Type.Integer({ ...limits, description })

/** A value that is null unless it is given. */
const NullByDefault = <T extends TSchema>(schema: T) =>
  Type.Union([schema, Type.Null()], { default: null })

/** A list of short texts; an item may have a pattern of its own. */
const Texts = (
  description: string,
  {
    minItems = 0,
    maxItems = 200,
    item = { maxLength: 255 },
  }: {
    minItems?: number
    maxItems?: number
    item?: { maxLength: number; pattern?: string; 'x-problem'?: string }
  } = {},
) =>
  Type.Array(Type.String({ minLength: 1, ...item }), {
    ...(minItems === 0 ? { default: [] } : { minItems }),
    maxItems,
    description,
  })

const Globs = (description: string, minItems = 0) =>
  Texts(`${description} Globs: * within a folder, ** across folders.`, { minItems })

const TIME_OF_DAY = '([01][0-9]|2[0-3]):[0-5][0-9]'
const timeOfDay = (name: string) => problem(`${name} must be a time of the day as HH:MM`)

const Window = Type.Object(
  {
    days: Type.Array(OneOf(DAYS), {
      minItems: 1,
      maxItems: DAYS.length,
      ...problem('a window needs days, of mon to sun'),
    }),
    start: Type.String({
      pattern: `^${TIME_OF_DAY}$`,
      description: 'HH:MM.',
      ...timeOfDay('start'),
    }),
    end: Type.String({
      pattern: `^(${TIME_OF_DAY}|24:00)$`,
      description: 'HH:MM; one before start is on the next day.',
      ...timeOfDay('end'),
    }),
  },
  { 'x-name': 'a window' },
)

const moment = (name: string) => ({
  maxLength: 100,
  description: `A date, or an RFC 3339 time.`,
  ...problem(`${name} must be a date (2026-12-24) or an RFC 3339 time`),
})
const Freeze = Type.Object(
  {
    start: Type.String(moment('start')),
    end: Type.String(moment('end')),
    reason: Type.String({ default: '', maxLength: MAX_REASON_LENGTH }),
  },
  { 'x-name': 'a freeze' },
)

const None = Type.Object({}, { description: 'This type has no parameters.' })

const Pattern = Type.Object({
  pattern: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'An RE2 expression, found anywhere in the text unless it is anchored.',
    ...problem('pattern must be a pattern of 1 to 500 characters'),
  }),
  negate: Flag('Refuse what matches, rather than what does not.'),
  message: NullByDefault(
    Type.String({ maxLength: MAX_REASON_LENGTH, description: 'What the refusal says.' }),
  ),
})

/** The stored and returned parameters of each type. Teams are stored as ids. */
export const RULE_PARAMETERS = {
  merge_window: Type.Object({
    time_zone: Type.String({
      default: '+00:00',
      maxLength: 10,
      description: 'The offset from UTC of all times, such as +02:00.',
    }),
    windows: Type.Array(Window, {
      default: [],
      maxItems: 50,
      description: 'When merging is allowed. Empty: always, but for the freezes.',
    }),
    freezes: Type.Array(Freeze, {
      default: [],
      maxItems: 100,
      description: 'When merging is not allowed, also within a window.',
    }),
    exceptions: Texts('Teams (<workspace>/<team>) and labels that may merge at any time.', {
      maxItems: 50,
    }),
  }),
  cost_cap: Type.Object({
    max_usd: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: 'US dollars that the work of agents may cost.',
    }),
    per: OneOf(['pull', 'day', 'month'], { default: 'pull' }),
  }),
  pull_request: Type.Object({
    required_approvals: Whole({ minimum: 0, maximum: 10, default: 0 }, 'Approvals by people.'),
    dismiss_stale: Flag('An approval ends when the change does.'),
    require_code_owner: Flag('Code owners must approve what they own.'),
    require_last_push_approval: Flag(
      'Somebody other than who pushed last must have approved the present head. The setting of the repository is stricter: it ignores approvals by everybody who pushed.',
    ),
    allowed_methods: Type.Array(OneOf(MERGE_METHODS), {
      default: [],
      maxItems: 3,
      description: 'Empty: all three.',
    }),
    require_conversation_resolution: Flag('Conversations on lines must be resolved.'),
  }),
  human_approval: Type.Object({
    count: Whole({ minimum: 1, maximum: 5, default: 1 }, 'Approvals by people, not by agents.'),
    paths: Globs('Only for changes of these paths; empty for all changes.'),
    from: Texts('Only people of these teams count; empty for everyone.', { maxItems: 20 }),
  }),
  required_checks: Type.Object({
    contexts: Texts('Names of commit statuses that must succeed.', { minItems: 1, maxItems: 100 }),
    strict: Flag('The branch must have the newest base.'),
  }),
  acceptance_checks: None,
  session_required: Type.Object({
    min_entries: Whole({ minimum: 1, maximum: 100_000, default: 1 }, 'Entries of the session.'),
    kinds: Texts('Kinds of entries that must occur.', {
      maxItems: 50,
      item: {
        maxLength: 32,
        pattern: '^\\s*[a-z][a-z0-9_]*\\s*$',
        ...problem('a kind of entry is a word of lowercase letters, digits and _'),
      },
    }),
  }),
  security_alerts: Type.Object({
    severity: OneOf(ALERT_SEVERITIES, {
      default: 'high',
      description: 'Open alerts of this severity and of higher ones block.',
    }),
    kinds: Type.Array(OneOf(ALERT_KINDS), {
      default: [],
      maxItems: 3,
      description:
        'Empty: code and dependency. An open secret blocks whatever commit it is in, and has no severity.',
    }),
    of: OneOf(['pull', 'repository'], {
      default: 'pull',
      description:
        'pull: alerts that the pull request adds. repository: also those of the default branch that it does not mend.',
    }),
    tools: Texts('Scanners that must have analysed the head.', { maxItems: 20 }),
  }),
  change_size: Type.Object({
    max_files: NullByDefault(Whole({ minimum: 1, maximum: 1_000_000 }, 'Changed files.')),
    max_lines: NullByDefault(
      Whole({ minimum: 1, maximum: 100_000_000 }, 'Added and removed lines.'),
    ),
    exclude: Globs('Paths that do not count.'),
  }),
  path_restriction: Type.Object({
    paths: Globs('The paths.', 1),
    mode: OneOf(['deny', 'allow'], {
      default: 'deny',
      description: 'deny refuses changes of the paths; allow refuses changes of all others.',
    }),
  }),
  file_size: Type.Object({
    max_bytes: Whole({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, 'Bytes of an added file.'),
  }),
  file_extension: Type.Object({
    extensions: Texts('Ends of names that are refused, such as exe.', {
      minItems: 1,
      item: {
        maxLength: 50,
        pattern: '^\\s*(\\*?\\.)?[^/\\\\*?.][^/\\\\*?]*$',
        ...problem('an extension is the end of a name after a dot, such as exe'),
      },
    }),
  }),
  creation: None,
  update: None,
  deletion: None,
  non_fast_forward: None,
  linear_history: None,
  signed_commits: None,
  commit_message: Pattern,
  commit_author_email: Pattern,
  branch_name: Pattern,
  tag_name: Pattern,
  merge_queue: Type.Object({
    slots: Whole({ minimum: 1, maximum: 20, default: 3 }, 'Candidates that are tested at once.'),
    timeout_minutes: NullByDefault(
      Whole({ minimum: 1, maximum: 1440 }, 'Minutes after which the tests of one end.'),
    ),
  }),
  immutable_releases: None,
  max_open_pulls: Type.Object({
    count: Whole({ minimum: 1, maximum: 1000 }, 'Open pull requests.'),
    per: OneOf(['author', 'owner'], {
      default: 'author',
      description: 'owner counts the agents of a person as that person.',
    }),
  }),
} satisfies Record<RuleType, TObject>

export type RuleParameters = {
  [T in RuleType]: Static<(typeof RULE_PARAMETERS)[T]>
}
export type PatternParameters = Static<typeof Pattern>

export type Rule = {
  [T in RuleType]: {
    readonly type: T
    readonly parameters: RuleParameters[T]
    readonly applies_to: (typeof AUDIENCES)[number]
  }
}[RuleType]

/** The input form of a schema: what has a default may be left out or null, and no other names. */
function inputForm(schema: TSchema): TSchema {
  if (Type.IsArray(schema)) return { ...schema, items: inputForm(schema.items) }
  if (!Type.IsObject(schema)) return schema
  const properties: TProperties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => {
      const form = inputForm(property)
      if (!('default' in property)) return [name, form]
      return [name, Type.Optional('anyOf' in form ? form : Nullable(form))]
    }),
  )
  return Type.Object(properties, {
    additionalProperties: false,
    ...annotationsOf(schema),
  })
}

/** What an object schema says beside its properties. */
const annotationsOf = (schema: TSchema) =>
  Object.fromEntries(
    Object.entries(schema).filter(([name]) => name === 'description' || name === 'x-name'),
  )

/** Types with the same parameters, in the order of `RULE_TYPES`; those without any come first. */
const TYPES_BY_PARAMETERS = Map.groupBy(
  RULE_TYPES.toSorted(
    (a, b) => Number(RULE_PARAMETERS[b] === None) - Number(RULE_PARAMETERS[a] === None),
  ),
  (type): TObject => RULE_PARAMETERS[type],
)

const NEW_PARAMETERS = new Map([...TYPES_BY_PARAMETERS.keys()].map((all) => [all, inputForm(all)]))

/** The schema of the parameters that an input gives for a type. */
export const newParameters = (type: RuleType): TSchema =>
  NEW_PARAMETERS.get(RULE_PARAMETERS[type]) ?? None

const APPLIES_TO = 'everyone, or only agents and their pull requests.'

/** Inner names stay as they are spelt: `x-free-form` keeps REST from dropping a misspelt one. */
const keepNames = { 'x-free-form': true }

type ReturnedRule = {
  type: RuleType
  parameters: Record<string, unknown>
  applies_to: (typeof AUDIENCES)[number]
}

/** One variant for each set of types that share their parameters, each with other properties too. */
const returnedRule = (
  others: TProperties,
  options: { readonly $id: string; readonly description: string },
): TSchema =>
  Type.Union(
    [...TYPES_BY_PARAMETERS].map(([parameters, types]) =>
      Type.Object({
        type: OneOf(types),
        parameters: { ...parameters, ...keepNames },
        applies_to: OneOf(AUDIENCES, { description: APPLIES_TO }),
        ...others,
      }),
    ),
    options,
  )

/** A rule as it is returned. */
export const AnyRule = Type.Unsafe<ReturnedRule>(
  returnedRule(
    {},
    { $id: 'Rule', description: 'A rule of a ruleset with the parameters of its type.' },
  ),
)

/** A rule as it is returned with the ruleset that it is of. */
export const ruleWithRuleset = <R extends TSchema>(
  ruleset: R,
  options: { readonly $id: string; readonly description: string },
) => Type.Unsafe<ReturnedRule & { ruleset: Static<R> }>(returnedRule({ ruleset }, options))

/** A rule as an input gives it. */
export const NewRule = Type.Unsafe<{
  type: RuleType
  parameters?: Record<string, unknown> | null
  applies_to?: (typeof AUDIENCES)[number]
}>(
  Type.Union(
    [...TYPES_BY_PARAMETERS].map(([parameters, types]) => {
      const form = { ...inputForm(parameters), ...keepNames }
      return Type.Object({
        type: OneOf(types),
        parameters: requiresSome(form) ? form : Type.Optional(Nullable(form)),
        applies_to: Type.Optional(OneOf(AUDIENCES)),
      })
    }),
    { $id: 'NewRule', description: 'A rule to hold; its parameters depend on its type.' },
  ),
)

function requiresSome(schema: TSchema): boolean {
  return 'required' in schema && Array.isArray(schema.required) && schema.required.length > 0
}
