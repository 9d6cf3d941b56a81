// The types of rules: title, description and fields.
import type { RuleType } from '#features/rulesets/index.ts'
import { localized, t, tn } from '../../text.ts'
import { severityLabel } from '../security/severity.tsx'

export type FieldSpec =
  | {
      readonly kind: 'number'
      readonly name: string
      readonly label: string
      readonly min: number
      readonly max?: number
      readonly hint?: string
      readonly required?: true
    }
  | { readonly kind: 'size'; readonly name: string; readonly label: string; readonly hint?: string }
  | { readonly kind: 'flag'; readonly name: string; readonly label: string; readonly hint?: string }
  | {
      readonly kind: 'text'
      readonly name: string
      readonly label: string
      readonly mono?: true
      readonly hint?: string
      readonly placeholder?: string
      readonly required?: true
    }
  | {
      readonly kind: 'lines' | 'windows' | 'freezes'
      readonly name: string
      readonly label: string
      readonly hint: string
      readonly placeholder?: string
      readonly required?: true
    }
  | {
      readonly kind: 'choice'
      readonly name: string
      readonly label: string
      readonly options: readonly { value: string; label: string }[]
    }
  | {
      readonly kind: 'ticks'
      readonly name: string
      readonly label: string
      readonly options: readonly { value: string; label: string }[]
    }

export type RuleTypeForm = {
  readonly title: string
  readonly what: string
  readonly fields: readonly FieldSpec[] /** Whether one ruleset can have several of this type. */
  readonly several?: true
}

const pattern = (placeholder: string): FieldSpec[] =>
  localized<FieldSpec[]>([
    {
      kind: 'text',
      name: 'pattern',
      label: 'Pattern',
      mono: true,
      placeholder,
      hint: 'A regular expression in RE2 syntax, found anywhere unless it has ^ and $.',
      required: true,
    },
    { kind: 'flag', name: 'negate', label: 'Must not match' },
    {
      kind: 'text',
      name: 'message',
      label: 'Message when refused',
      hint: 'Left empty, the pattern is shown.',
    },
  ])

export const RULE_TYPE_FORMS: Readonly<Record<RuleType, RuleTypeForm>> = localized({
  pull_request: {
    title: 'Require a pull request',
    what: 'No direct pushes. These settings add to those of the repository; the stricter one applies.',
    fields: [
      { kind: 'number', name: 'required_approvals', label: 'Required approvals', min: 0, max: 10 },
      {
        kind: 'flag',
        name: 'dismiss_stale',
        label: 'Dismiss approvals when a push changes the diff',
      },
      { kind: 'flag', name: 'require_code_owner', label: 'Require review from code owners' },
      {
        kind: 'flag',
        name: 'require_last_push_approval',
        label: 'Require approval of the last push by somebody else',
      },
      {
        kind: 'flag',
        name: 'require_conversation_resolution',
        label: 'Require conversations to be resolved',
      },
      {
        kind: 'ticks',
        name: 'allowed_methods',
        label: 'Allowed merge methods',
        options: [
          { value: 'merge', label: 'Merge commit' },
          { value: 'squash', label: 'Squash' },
          { value: 'rebase', label: 'Rebase' },
        ],
      },
    ],
  },
  human_approval: {
    title: 'Approval by people',
    what: 'A number of people must approve. Agents do not count.',
    several: true,
    fields: [
      { kind: 'number', name: 'count', label: 'People', min: 1, max: 5 },
      {
        kind: 'lines',
        name: 'paths',
        label: 'Only for changes to',
        hint: 'One glob a line: * within a folder, ** across folders. A folder alone means all below it. Left empty, for every change.',
        placeholder: 'infra/**',
      },
      {
        kind: 'lines',
        name: 'from',
        label: 'From these teams',
        hint: 'One team a line, as workspace/team. Left empty, anyone who may approve.',
      },
    ],
  },
  required_checks: {
    title: 'Required checks',
    what: 'These checks must pass on the head commit before merging.',
    fields: [
      {
        kind: 'lines',
        name: 'contexts',
        label: 'Checks',
        hint: 'One name per line, as the status calls it. What agents report does not count.',
        placeholder: 'ci/build',
        required: true,
      },
      { kind: 'flag', name: 'strict', label: 'Require branches to be up to date before merging' },
    ],
  },
  acceptance_checks: {
    title: 'Acceptance checks must pass',
    what: 'The acceptance checks of the issue must pass, even where the repository lets people merge without them. A pull request without any is refused.',
    fields: [],
  },
  merge_window: {
    title: 'Merge window',
    what: 'Merging is allowed at certain times only.',
    several: true,
    fields: [
      {
        kind: 'text',
        name: 'time_zone',
        label: 'Offset from UTC',
        mono: true,
        placeholder: '+00:00',
      },
      {
        kind: 'windows',
        name: 'windows',
        label: 'Open',
        hint: 'One window a line: days and hours, such as mon-fri 09:00-17:00. An end before the start runs past midnight. Left empty, always open but for freezes.',
        placeholder: 'mon-thu 09:00-17:00',
      },
      {
        kind: 'freezes',
        name: 'freezes',
        label: 'Freezes',
        hint: 'One per line: first day, last day, and why.',
        placeholder: '2026-12-20 2027-01-03 Holidays',
      },
      {
        kind: 'lines',
        name: 'exceptions',
        label: 'Exceptions',
        hint: 'Teams (workspace/team) whose members may merge at any time, and labels that let a pull request through. One per line.',
        placeholder: 'hotfix',
      },
    ],
  },
  merge_queue: {
    title: 'Merge queue',
    what: 'Merging goes through the queue.',
    fields: [
      { kind: 'number', name: 'slots', label: 'Queue entries tested at once', min: 1, max: 20 },
      {
        kind: 'number',
        name: 'timeout_minutes',
        label: 'Time limit for the checks of an entry, in minutes',
        min: 1,
        max: 1440,
        hint: 'Left empty, the time limit of the repository.',
      },
    ],
  },
  security_alerts: {
    title: 'No open security alerts',
    what: 'Merging waits until the alerts of a severity are fixed or dismissed.',
    several: true,
    fields: [
      {
        kind: 'choice',
        name: 'severity',
        label: 'Minimum severity',
        options: [
          { value: 'critical', label: 'Critical' },
          { value: 'high', label: 'High' },
          { value: 'medium', label: 'Medium' },
          { value: 'low', label: 'Low' },
          { value: 'warning', label: 'Warning' },
          { value: 'note', label: 'Note' },
        ],
      },
      {
        kind: 'ticks',
        name: 'kinds',
        label: 'Kinds of alerts',
        options: [
          { value: 'code', label: 'Code scanning' },
          { value: 'dependency', label: 'Dependencies' },
          { value: 'secret', label: 'Secrets' },
        ],
      },
      {
        kind: 'choice',
        name: 'of',
        label: 'Where the alerts are',
        options: [
          { value: 'pull', label: 'the pull request' },
          { value: 'repository', label: 'the pull request or the default branch' },
        ],
      },
      {
        kind: 'lines',
        name: 'tools',
        label: 'Scanners that must have finished',
        hint: 'Names as on the page of code scanning, one per line. Left empty, only what was uploaded counts.',
      },
    ],
  },
  change_size: {
    title: 'Size of a change',
    what: 'Larger pull requests are refused.',
    fields: [
      { kind: 'number', name: 'max_files', label: 'Maximum number of files', min: 1 },
      { kind: 'number', name: 'max_lines', label: 'Maximum number of changed lines', min: 1 },
      {
        kind: 'lines',
        name: 'exclude',
        label: 'Paths that do not count',
        hint: 'One glob a line: * within a folder, ** across folders. A folder alone means all below it.',
        placeholder: 'package-lock.json',
      },
    ],
  },
  max_open_pulls: {
    title: 'Open pull requests',
    what: 'Limits how many pull requests are open at once.',
    several: true,
    fields: [
      { kind: 'number', name: 'count', label: 'At most', min: 1, max: 1000, required: true },
      {
        kind: 'choice',
        name: 'per',
        label: 'Of',
        options: [
          { value: 'author', label: 'one author' },
          { value: 'owner', label: 'one person with all their agents' },
        ],
      },
    ],
  },
  session_required: {
    title: 'Session',
    what: 'A pull request by an agent needs a session, which records how it was made.',
    fields: [
      { kind: 'number', name: 'min_entries', label: 'Minimum number of entries', min: 1 },
      {
        kind: 'lines',
        name: 'kinds',
        label: 'Kinds of entries that count',
        hint: 'One per line, such as plan or message. Left empty, any.',
      },
    ],
  },
  cost_cap: {
    title: 'Cost cap',
    what: 'Pushes by agents are refused once their sessions have reported this cost.',
    several: true,
    fields: [
      {
        kind: 'number',
        name: 'max_usd',
        label: 'Maximum cost, in US dollars',
        min: 0,
        required: true,
      },
      {
        kind: 'choice',
        name: 'per',
        label: 'For',
        options: [
          { value: 'pull', label: 'one pull request' },
          { value: 'day', label: 'a day' },
          { value: 'month', label: 'a month' },
        ],
      },
    ],
  },
  path_restriction: {
    title: 'Paths',
    what: 'Changes to some paths are refused, or to all others.',
    several: true,
    fields: [
      {
        kind: 'lines',
        name: 'paths',
        label: 'Paths',
        hint: 'One glob a line: * within a folder, ** across folders. A folder alone means all below it.',
        required: true,
        placeholder: '.github/**',
      },
      {
        kind: 'choice',
        name: 'mode',
        label: 'These',
        options: [
          { value: 'deny', label: 'may not be changed' },
          { value: 'allow', label: 'are all that may be changed' },
        ],
      },
    ],
  },
  file_size: {
    title: 'File size',
    what: 'Larger files are refused, even when a later commit removes them.',
    fields: [{ kind: 'size', name: 'max_bytes', label: 'Maximum size in MiB' }],
  },
  file_extension: {
    title: 'File types',
    what: 'Files with these extensions are refused.',
    fields: [
      {
        kind: 'lines',
        name: 'extensions',
        label: 'File extensions',
        hint: 'One per line, such as exe.',
        required: true,
      },
    ],
  },
  creation: {
    title: 'Creation blocked',
    what: 'Branches or tags that match may not be created.',
    fields: [],
  },
  update: {
    title: 'Updates blocked',
    what: 'Branches or tags that match may not be updated, not even by merging.',
    fields: [],
  },
  deletion: {
    title: 'Deletion blocked',
    what: 'Branches or tags that match may not be deleted.',
    fields: [],
  },
  non_fast_forward: {
    title: 'Force pushes blocked',
    what: 'Force pushes are refused: no branch loses commits, and no tag moves.',
    fields: [],
  },
  linear_history: {
    title: 'Linear history',
    what: 'No merge commits: squash or rebase.',
    fields: [],
  },
  signed_commits: {
    title: 'Signed commits',
    what: 'Every commit must have a verified signature.',
    fields: [],
  },
  commit_message: {
    title: 'Commit messages',
    what: 'Must match a pattern, or must not.',
    fields: pattern('^(feat|fix|docs): '),
    several: true,
  },
  commit_author_email: {
    title: 'Author addresses',
    what: "The author's address must match a pattern.",
    fields: pattern('@example\\.com$'),
    several: true,
  },
  branch_name: {
    title: 'Branch names',
    what: 'New branches must match a pattern.',
    fields: pattern('^(feature|fix)/'),
    several: true,
  },
  tag_name: {
    title: 'Tag names',
    what: 'New tags must match a pattern.',
    fields: pattern('^v[0-9]+\\.[0-9]+\\.[0-9]+$'),
    several: true,
  },
  immutable_releases: {
    title: 'Immutable releases',
    what: 'The files and the tag of a published release do not change.',
    fields: [],
  },
})

/** In the order of the form. */
export const RULE_GROUPS: readonly {
  readonly title: string
  readonly types: readonly RuleType[]
}[] = localized([
  {
    title: 'Merging',
    types: [
      'pull_request',
      'human_approval',
      'required_checks',
      'acceptance_checks',
      'merge_window',
      'merge_queue',
      'security_alerts',
      'change_size',
      'max_open_pulls',
    ],
  },
  { title: 'Agents', types: ['session_required', 'cost_cap'] },
  {
    title: 'Branches and tags',
    types: [
      'creation',
      'update',
      'deletion',
      'non_fast_forward',
      'linear_history',
      'branch_name',
      'tag_name',
      'immutable_releases',
    ],
  },
  {
    title: 'Content of commits',
    types: [
      'path_restriction',
      'file_size',
      'file_extension',
      'signed_commits',
      'commit_message',
      'commit_author_email',
    ],
  },
])

const list = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : '')

const approvalsText = (p: Readonly<Record<string, unknown>>): string =>
  [
    String(p.count),
    list(p.from) && t('from {names}', { names: list(p.from) }),
    list(p.paths) && t('for {paths}', { paths: list(p.paths) }),
  ]
    .filter(Boolean)
    .join(' ')

const changeSizeText = (p: Readonly<Record<string, unknown>>): string =>
  [
    p.max_files === null ? '' : tn('{count} file', '{count} files', Number(p.max_files)),
    p.max_lines === null ? '' : tn('{count} line', '{count} lines', Number(p.max_lines)),
  ]
    .filter(Boolean)
    .join(', ')

/** One line about a rule. */
export function describeRule({
  type,
  parameters: p,
}: {
  type: RuleType
  parameters: Readonly<Record<string, unknown>>
}): string {
  const { title } = RULE_TYPE_FORMS[type]
  const text = ((): string => {
    switch (type) {
      case 'pull_request':
        return Number(p.required_approvals) > 0
          ? tn('{count} approval', '{count} approvals', Number(p.required_approvals))
          : ''
      case 'human_approval':
        return approvalsText(p)
      case 'required_checks':
        return list(p.contexts)
      case 'merge_window':
        return [
          windowsText(p.windows).replaceAll('\n', ', '),
          freezesText(p.freezes) === '' ? '' : t('with freezes'),
        ]
          .filter(Boolean)
          .join(', ')
      case 'security_alerts':
        return t('{severity} or higher', { severity: severityLabel(String(p.severity)) })
      case 'change_size':
        return changeSizeText(p)
      case 'max_open_pulls':
        return p.per === 'author'
          ? t('{count} of one author', { count: String(p.count) })
          : t('{count} of one person with all their agents', { count: String(p.count) })
      case 'cost_cap':
        return p.per === 'pull'
          ? t('{amount} a pull request', { amount: `$${String(p.max_usd)}` })
          : p.per === 'day'
            ? t('{amount} a day', { amount: `$${String(p.max_usd)}` })
            : t('{amount} a month', { amount: `$${String(p.max_usd)}` })
      case 'path_restriction':
        return p.mode === 'allow'
          ? t('only {names}', { names: list(p.paths) })
          : t('not {names}', { names: list(p.paths) })
      case 'file_size':
        return `${Number(p.max_bytes) / 1_048_576} MiB`
      case 'file_extension':
        return t('not {names}', { names: list(p.extensions) })
      case 'commit_message':
      case 'commit_author_email':
      case 'branch_name':
      case 'tag_name':
        return p.negate === true
          ? t('not {names}', { names: String(p.pattern) })
          : String(p.pattern)
      default:
        return ''
    }
  })()
  return text === '' ? title : `${title}: ${text}`
}

type MergeWindow = { days: readonly string[]; start: string; end: string }
type MergeFreeze = { start: string; end: string; reason: string }

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

function daysText(days: readonly string[]): string {
  const at = days.map((day) => DAYS.indexOf(day))
  const isRun =
    at.length > 2 && at.every((place, index) => index === 0 || place === (at[index - 1] ?? 0) + 1)
  return isRun ? `${days[0]}-${days.at(-1)}` : days.join(',')
}

export const windowsText = (windows: unknown): string =>
  ((windows ?? []) as MergeWindow[])
    .map(({ days, start, end }) => `${daysText(days)} ${start}-${end}`)
    .join('\n')
export const freezesText = (freezes: unknown): string =>
  ((freezes ?? []) as MergeFreeze[])
    .map(({ start, end, reason }) => `${start} ${end} ${reason}`.trim())
    .join('\n')

/** Reads `mon-fri 09:00-17:00`. Null for a line that is not one. */
export function windowOf(line: string): MergeWindow | null {
  const [, first = '', start = '', end = ''] =
    /^([a-z, -]+) (\d{2}:\d{2}) ?- ?(\d{2}:\d{2})$/i.exec(line.replace(/\s+/g, ' ')) ?? []
  const days = new Set<string>()
  for (const part of first
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)) {
    const [from = '', to = from] = part
      .split('-')
      .map((word) => DAYS.find((day) => word.trim().startsWith(day)) ?? '')
    const [a, b] = [DAYS.indexOf(from), DAYS.indexOf(to)]
    if (a < 0 || b < 0) return null
    for (let at = a; ; at = (at + 1) % 7) {
      days.add(DAYS[at] ?? '')
      if (at === b) break
    }
  }
  return days.size === 0 ? null : { days: DAYS.filter((day) => days.has(day)), start, end }
}

const DATE = /^\d{4}-\d{2}-\d{2}/

/** Reads `2026-12-20 2027-01-03 Holidays`. Null for a line that is not one. */
export function freezeOf(line: string): MergeFreeze | null {
  const [start = '', end = '', ...reason] = line.trimEnd().split(/\s+/)
  return DATE.test(start) && DATE.test(end) ? { start, end, reason: reason.join(' ') } : null
}
