/**
 * What each type of rule can be told, read with care: every fault is named with its place
 * (`rules[2].parameters.max_usd`), and what is left out has a default. What comes out is whole, so
 * that those who hold rules against something ask no further.
 */
import { invalid } from '#lib/errors.ts'
import { requirePattern } from './patterns.ts'
import type { RuleType, Target } from './schema.ts'
import { DAYS, minutesOf, momentOf, offsetOf, type MergeWindow } from './windows.ts'

export type Nothing = Record<never, never>
export type PatternParameters = { pattern: string; negate: boolean; message: string | null }

/** The parameters of every type, as they are kept. Teams are ids. */
export type Parameters = {
  merge_window: MergeWindow & { exceptions: string[] }
  cost_cap: { max_usd: number; per: 'pull' | 'day' | 'month' }
  pull_request: {
    required_approvals: number
    dismiss_stale: boolean
    require_code_owner: boolean
    require_last_push_approval: boolean
    allowed_methods: ('merge' | 'squash' | 'rebase')[]
    require_conversation_resolution: boolean
  }
  human_approval: { count: number; paths: string[]; from: string[] }
  required_checks: { contexts: string[]; strict: boolean }
  acceptance_checks: Nothing
  session_required: { min_entries: number; kinds: string[] }
  change_size: { max_files: number | null; max_lines: number | null; exclude: string[] }
  path_restriction: { paths: string[]; mode: 'deny' | 'allow' }
  file_size: { max_bytes: number }
  file_extension: { extensions: string[] }
  creation: Nothing
  update: Nothing
  deletion: Nothing
  non_fast_forward: Nothing
  linear_history: Nothing
  signed_commits: Nothing
  commit_message: PatternParameters
  commit_author_email: PatternParameters
  branch_name: PatternParameters
  tag_name: PatternParameters
  merge_queue: { slots: number; timeout_minutes: number | null }
  immutable_releases: Nothing
  max_open_pulls: { count: number; per: 'author' | 'owner' }
}

export type Rule = {
  [T in RuleType]: {
    readonly type: T
    readonly parameters: Parameters[T]
    readonly applies_to: 'everyone' | 'agents'
  }
}[RuleType]

/** What a team's name stands for; gives 422 at the field when there is none. */
export type TeamReader = (text: string, field: string) => string

/** Reads the parameters of one rule, one name after the other. */
class Reader {
  readonly #seen = new Set<string>()
  constructor(
    private readonly type: RuleType,
    private readonly given: Record<string, unknown>,
    private readonly at: string,
    readonly team: TeamReader,
  ) {}

  field(name: string): string {
    return `${this.at}.${name}`
  }

  private value(name: string): unknown {
    this.#seen.add(name)
    return this.given[name] ?? undefined
  }

  private required(name: string): never {
    throw invalid(this.field(name), `${this.type} needs ${name}`)
  }

  number(
    name: string,
    { min, max, whole = true, more }: { min: number; max: number; whole?: boolean; more?: boolean },
    fallback?: number,
  ): number {
    const value = this.value(name) ?? fallback ?? this.required(name)
    const fits =
      typeof value === 'number' &&
      Number.isFinite(value) &&
      (!whole || Number.isInteger(value)) &&
      (more ? value > min : value >= min) &&
      value <= max
    if (!fits)
      throw invalid(
        this.field(name),
        `${name} must be a ${whole ? 'whole ' : ''}number ${more ? 'above' : 'from'} ${min} ${more ? 'and at most' : 'to'} ${max}`,
      )
    return value
  }

  optionalNumber(name: string, limits: { min: number; max: number }): number | null {
    return this.value(name) === undefined ? null : this.number(name, limits)
  }

  flag(name: string): boolean {
    const value = this.value(name) ?? false
    if (typeof value !== 'boolean') throw invalid(this.field(name), `${name} must be true or false`)
    return value
  }

  word<const T extends readonly string[]>(name: string, words: T, fallback: T[number]): T[number] {
    const value = this.value(name) ?? fallback
    if (typeof value !== 'string' || !words.includes(value))
      throw invalid(this.field(name), `${name} must be one of ${words.join(', ')}`)
    return value
  }

  text(name: string, longest: number): string | null {
    const value = this.value(name)
    if (value === undefined || value === '') return null
    if (typeof value !== 'string' || value.length > longest)
      throw invalid(this.field(name), `${name} must be text of at most ${longest} characters`)
    return value.replace(/\s+/g, ' ').trim() || null
  }

  pattern(name: string): string {
    const value = this.value(name) ?? this.required(name)
    if (typeof value !== 'string' || value === '')
      throw invalid(this.field(name), `${name} must be a pattern`)
    return requirePattern(value, this.field(name))
  }

  /** A list of texts; `read` gives what is kept of one, or throws. */
  texts(
    name: string,
    {
      least = 0,
      longest = 255,
      most = 200,
    }: { least?: number; longest?: number; most?: number } = {},
    read?: (text: string, field: string) => string,
  ): string[] {
    const values = this.list(name, least, most)
    return [
      ...new Set(
        values.map((value, index) => {
          const field = `${this.field(name)}[${index}]`
          const text = typeof value === 'string' ? value.trim() : ''
          if (text === '' || text.length > longest || /[\x00-\x1f\x7f]/.test(text))
            throw invalid(
              field,
              `${field.slice(field.lastIndexOf('.') + 1)} must be text of 1 to ${longest} characters`,
            )
          return read ? read(text, field) : text
        }),
      ),
    ]
  }

  list(name: string, least: number, most: number): unknown[] {
    const value = this.value(name) ?? []
    if (!Array.isArray(value)) throw invalid(this.field(name), `${name} must be a list`)
    if (value.length < least)
      throw invalid(
        this.field(name),
        `${this.type} needs ${least === 1 ? 'at least one of' : `${least} or more`} ${name}`,
      )
    if (value.length > most) throw invalid(this.field(name), `${name} has at most ${most} items`)
    return value as unknown[]
  }

  /** A misspelt name must not be a rule that does less than it says. */
  end(): void {
    const [unknown] = Object.keys(this.given).filter((name) => !this.#seen.has(name))
    if (unknown !== undefined)
      throw invalid(
        this.field(unknown),
        `${this.type} has no parameter ${unknown}${this.#seen.size > 0 ? `; it has ${[...this.#seen].join(', ')}` : ''}`,
      )
  }
}

const METHODS = ['merge', 'squash', 'rebase'] as const

const nothing = (): Nothing => ({})
const pattern = (read: Reader): PatternParameters => ({
  pattern: read.pattern('pattern'),
  negate: read.flag('negate'),
  message: read.text('message', 300),
})

const asObject = (value: unknown, field: string, what: string): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(field, `${field} must be ${what}`)
  return value as Record<string, unknown>
}

function mergeWindow(read: Reader): Parameters['merge_window'] {
  const zone = read.text('time_zone', 10) ?? '+00:00'
  const offset = offsetOf(zone)
  if (offset === null)
    throw invalid(read.field('time_zone'), 'time_zone must be an offset from UTC, such as +02:00')
  const windows = read.list('windows', 0, 50).map((value, index) => {
    const field = `${read.field('windows')}[${index}]`
    const { days, start, end, ...rest } = asObject(value, field, 'days, start and end')
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined)
      throw invalid(`${field}.${unknown}`, `a window has days, start and end, not ${unknown}`)
    if (!Array.isArray(days) || days.length === 0)
      throw invalid(`${field}.days`, 'a window needs days, of mon to sun')
    days.forEach((day, at) => {
      if (!DAYS.some((known) => known === day))
        throw invalid(`${field}.days[${at}]`, `a day must be one of ${DAYS.join(', ')}`)
    })
    for (const [name, time] of [
      ['start', start],
      ['end', end],
    ] as const) {
      if (
        typeof time !== 'string' ||
        minutesOf(time) === null ||
        (name === 'start' && time === '24:00')
      )
        throw invalid(`${field}.${name}`, `${name} must be a time of the day as HH:MM`)
    }
    return {
      days: DAYS.filter((day) => days.includes(day)),
      start: String(start),
      end: String(end),
    }
  })
  const freezes = read.list('freezes', 0, 100).map((value, index) => {
    const field = `${read.field('freezes')}[${index}]`
    const { start, end, reason = '', ...rest } = asObject(value, field, 'start, end and reason')
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined)
      throw invalid(`${field}.${unknown}`, `a freeze has start, end and reason, not ${unknown}`)
    const moments = (
      [
        ['start', start],
        ['end', end],
      ] as const
    ).map(([name, time]) => {
      const at = typeof time === 'string' ? momentOf(time, offset, name) : null
      if (at === null)
        throw invalid(`${field}.${name}`, `${name} must be a date (2026-12-24) or an RFC 3339 time`)
      return at
    })
    if ((moments[0] ?? 0) >= (moments[1] ?? 0))
      throw invalid(`${field}.end`, 'a freeze must end after it starts')
    if (typeof reason !== 'string' || reason.length > 300)
      throw invalid(`${field}.reason`, 'reason must be text of at most 300 characters')
    return { start: String(start), end: String(end), reason: reason.replace(/\s+/g, ' ').trim() }
  })
  if (windows.length === 0 && freezes.length === 0)
    throw invalid(read.field('windows'), 'merge_window needs windows or freezes')
  // A slash makes it a team; labels may have one as well, but then there is no team of that name.
  const exceptions = read.texts('exceptions', { most: 50 }, (text, field) =>
    text.includes('/') ? teamOrLabel(read, text, field) : text,
  )
  return { time_zone: zone, windows, freezes, exceptions }
}

function teamOrLabel(read: Reader, text: string, field: string): string {
  try {
    return read.team(text, field)
  } catch {
    return text
  }
}

function changeSize(read: Reader): Parameters['change_size'] {
  const [max_files, max_lines] = [
    read.optionalNumber('max_files', { min: 1, max: 1_000_000 }),
    read.optionalNumber('max_lines', { min: 1, max: 100_000_000 }),
  ]
  if (max_files === null && max_lines === null)
    throw invalid(read.field('max_files'), 'change_size needs max_files or max_lines')
  return { max_files, max_lines, exclude: read.texts('exclude') }
}

const EXTENSION = /^[^/\\*?.][^/\\*?]*$/

const READERS: { [T in RuleType]: (read: Reader) => Parameters[T] } = {
  merge_window: mergeWindow,
  cost_cap: (read) => ({
    max_usd: read.number('max_usd', { min: 0, max: 1_000_000, whole: false, more: true }),
    per: read.word('per', ['pull', 'day', 'month'], 'pull'),
  }),
  pull_request: (read) => ({
    required_approvals: read.number('required_approvals', { min: 0, max: 10 }, 0),
    dismiss_stale: read.flag('dismiss_stale'),
    require_code_owner: read.flag('require_code_owner'),
    require_last_push_approval: read.flag('require_last_push_approval'),
    allowed_methods: allowedMethods(read),
    require_conversation_resolution: read.flag('require_conversation_resolution'),
  }),
  human_approval: (read) => ({
    count: read.number('count', { min: 1, max: 5 }, 1),
    paths: read.texts('paths'),
    from: read.texts('from', { most: 20 }, read.team),
  }),
  required_checks: (read) => ({
    contexts: read.texts('contexts', { least: 1, most: 100 }),
    strict: read.flag('strict'),
  }),
  acceptance_checks: nothing,
  session_required: (read) => ({
    min_entries: read.number('min_entries', { min: 1, max: 100_000 }, 1),
    kinds: read.texts('kinds', { longest: 32, most: 50 }, (text, field) => {
      if (!/^[a-z][a-z0-9_]*$/.test(text))
        throw invalid(field, 'a kind of entry is a word of lowercase letters, digits and _')
      return text
    }),
  }),
  change_size: changeSize,
  path_restriction: (read) => ({
    paths: read.texts('paths', { least: 1 }),
    mode: read.word('mode', ['deny', 'allow'], 'deny'),
  }),
  file_size: (read) => ({
    max_bytes: read.number('max_bytes', { min: 1, max: Number.MAX_SAFE_INTEGER }),
  }),
  file_extension: (read) => ({
    extensions: read.texts('extensions', { least: 1, longest: 50 }, (text, field) => {
      const plain = text.replace(/^\*?\./, '').toLowerCase()
      if (!EXTENSION.test(plain))
        throw invalid(field, 'an extension is the end of a name after a dot, such as exe')
      return plain
    }),
  }),
  creation: nothing,
  update: nothing,
  deletion: nothing,
  non_fast_forward: nothing,
  linear_history: nothing,
  signed_commits: nothing,
  commit_message: pattern,
  commit_author_email: pattern,
  branch_name: pattern,
  tag_name: pattern,
  merge_queue: (read) => ({
    slots: read.number('slots', { min: 1, max: 20 }, 3),
    timeout_minutes: read.optionalNumber('timeout_minutes', { min: 1, max: 1440 }),
  }),
  immutable_releases: nothing,
  max_open_pulls: (read) => ({
    count: read.number('count', { min: 1, max: 1000 }),
    per: read.word('per', ['author', 'owner'], 'author'),
  }),
}

function allowedMethods(read: Reader): Parameters['pull_request']['allowed_methods'] {
  const given = read.texts('allowed_methods', { most: 3 }, (text, field) => {
    if (!METHODS.some((method) => method === text))
      throw invalid(field, `a method is one of ${METHODS.join(', ')}`)
    return text
  })
  return given.length === 0 ? [...METHODS] : METHODS.filter((method) => given.includes(method))
}

const MERGING: readonly RuleType[] = [
  'merge_window',
  'cost_cap',
  'pull_request',
  'human_approval',
  'required_checks',
  'acceptance_checks',
  'session_required',
  'change_size',
  'merge_queue',
  'max_open_pulls',
]

/** Why a rule of this type can say nothing about such a target; null when it can. */
export function targetProblem(type: RuleType, target: Target): string | null {
  if (MERGING.includes(type))
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

/** Reads one rule. Gives 422 naming what is wrong; `at` is its place, such as `rules[0]`. */
export function readRule(
  given: { type: RuleType; parameters?: unknown; applies_to?: 'everyone' | 'agents' },
  at: string,
  target: Target,
  team: TeamReader,
): Rule {
  const problem = targetProblem(given.type, target)
  if (problem !== null) throw invalid(`${at}.type`, problem)
  const place = `${at}.parameters`
  const read = new Reader(
    given.type,
    asObject(given.parameters ?? {}, place, 'an object'),
    place,
    team,
  )
  const parameters = READERS[given.type](read)
  read.end()
  return { type: given.type, parameters, applies_to: given.applies_to ?? 'everyone' } as Rule
}
