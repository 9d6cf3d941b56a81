// Presets for new rulesets.
import type { Ruleset } from '#features/rulesets/index.ts'
import { localized } from '../../text.ts'

export type Draft = Pick<Ruleset, 'name' | 'enforcement' | 'target' | 'rules'> & {
  conditions: Ruleset['conditions']
  bypass_actors: Ruleset['bypass_actors']
}

type Preset = {
  readonly key: string
  readonly title: string
  readonly what: string
  readonly draft: Partial<Draft>
}

const rule = (
  type: Ruleset['rules'][number]['type'],
  parameters: Record<string, unknown> = {},
  applies_to: 'everyone' | 'agents' = 'everyone',
) => ({ type, parameters, applies_to })

export const PRESETS: readonly Preset[] = localized([
  {
    key: 'protect',
    title: 'Protect the default branch',
    what: 'Pull requests with one approval, no force pushes, no deletion.',
    draft: {
      name: 'Protect the default branch',
      rules: [
        rule('pull_request', { required_approvals: 1, dismiss_stale: true }),
        rule('non_fast_forward'),
        rule('deletion'),
      ],
    },
  },
  {
    key: 'agents',
    title: 'Supervised agents',
    what: 'A person approves what agents write, with its session, up to a cost.',
    draft: {
      name: 'Supervised agents',
      rules: [
        rule('human_approval', { count: 1 }, 'agents'),
        rule('session_required', { min_entries: 1 }),
        rule('cost_cap', { max_usd: 20, per: 'pull' }),
      ],
    },
  },
  {
    key: 'window',
    title: 'Merge in working hours',
    what: 'Monday to Thursday from 9:00 to 17:00. A pull request with the label hotfix is exempt.',
    draft: {
      name: 'Merge in working hours',
      rules: [
        rule('merge_window', {
          time_zone: '+00:00',
          windows: [{ days: ['mon', 'tue', 'wed', 'thu'], start: '09:00', end: '17:00' }],
          exceptions: ['hotfix'],
        }),
      ],
    },
  },
  {
    key: 'tags',
    title: 'Immutable tags',
    what: 'Tags are never moved or deleted, and published releases do not change.',
    draft: {
      name: 'Immutable tags',
      target: 'tag',
      conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
      rules: [rule('update'), rule('deletion'), rule('immutable_releases')],
    },
  },
  {
    key: 'clean',
    title: 'Clean commits',
    what: 'A linear history with messages of one form.',
    draft: {
      name: 'Clean commits',
      rules: [
        rule('linear_history'),
        rule('commit_message', {
          pattern: '^(feat|fix|docs|chore|test|refactor)(\\([a-z0-9-]+\\))?!?: ',
          message: 'begin with feat:, fix:, docs:, chore:, test: or refactor:',
        }),
      ],
    },
  },
  {
    key: 'large',
    title: 'No large files',
    what: 'Nothing over 10 MiB and no programs, anywhere.',
    draft: {
      name: 'No large files',
      target: 'push',
      conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
      rules: [
        rule('file_size', { max_bytes: 10_485_760 }),
        rule('file_extension', { extensions: ['exe', 'dll', 'so', 'dylib'] }),
      ],
    },
  },
])

export const emptyDraft = (isWorkspace: boolean): Draft => ({
  name: '',
  enforcement: 'active',
  target: 'branch',
  rules: [],
  bypass_actors: [],
  conditions: {
    ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] },
    ...(isWorkspace
      ? { repository: { include: ['~ALL'], exclude: [], visibility: 'any' as const, topics: [] } }
      : {}),
  },
})

/** The draft of a new ruleset. */
export function draftOf(key: string | null, isWorkspace: boolean): Draft {
  const empty = emptyDraft(isWorkspace)
  const draft: Partial<Draft> = PRESETS.find((preset) => preset.key === key)?.draft ?? {}
  return { ...empty, ...draft, conditions: { ...empty.conditions, ...draft.conditions } }
}
