/**
 * The settings of a repository. A row stores only the differences from these defaults. The features
 * that act on a setting read it.
 */
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts'
import type { RepoRow } from '../store/repos.ts'

/** What agent programs ask a person for. */
export const AGENT_PERMISSIONS = ['auto', 'ask_execute', 'ask_all'] as const

/** What a model does with new issues. */
export const ISSUE_TRIAGE = ['off', 'propose', 'apply_labels'] as const

const MergeMethodWord = OneOf(['merge', 'squash', 'rebase'])
const Audience = (description: string) =>
  OneOf(['anyone', 'collaborators', 'members', 'nobody'], { description })
const flag = (description: string) => Type.Boolean({ description })

export const RepoSettings = Type.Object(
  {
    required_approvals: Type.Integer({
      minimum: 0,
      maximum: 10,
      description: 'Counted approvals that a pull request needs.',
    }),
    count_agent_approvals: flag(
      `Whether an agent's approval counts; the author's own agents never do.`,
    ),
    allow_ignoring_checks: flag('Whether a member with write may merge with failed checks.'),
    require_up_to_date: flag('Whether a pull request must hold the newest commit of its base.'),
    agent_review: flag(`Whether the workspace's review model reads what turns ready.`),
    agent_permissions: OneOf(AGENT_PERMISSIONS, {
      description: 'What agent programs ask a person for: nothing, commands, or everything.',
    }),
    agent_hosts: Nullable(
      Type.Array(Type.String({ maxLength: 260 }), {
        maxItems: 100,
        description:
          'Hosts of the setting agents.hosts that agent programs reach, as host:port; null for all of them.',
      }),
    ),
    max_revisions: Type.Integer({
      minimum: 0,
      maximum: 20,
      description:
        'How often agents may push again by themselves after failed checks or requested changes. A comment or push by a person begins the count anew.',
    }),
    auto_merge: flag('Whether a pull request with nothing in its way merges by itself.'),
    agent_auto_merge_needs_person: flag(
      'Whether auto-merge of a pull request that an agent made waits for a counted approval of a person.',
    ),
    merge_queue: flag('Whether merging goes through the queue.'),
    queue_slots: Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'How many entries of the merge queue are tested at once.',
    }),
    merge_methods: Type.Array(MergeMethodWord, {
      minItems: 1,
      maxItems: 3,
      description: 'The methods that may be used.',
    }),
    default_merge_method: MergeMethodWord,
    delete_branch_on_merge: flag('Whether a merged branch of this repository is deleted.'),
    dismiss_stale_approvals: flag(
      'Whether a push that changes the diff makes earlier approvals stale.',
    ),
    require_last_push_approval: flag(
      'Whether an approval by anybody who pushed to the head branch does not count, also when somebody else pushed after them.',
    ),
    require_conversation_resolution: flag('Whether open line comments block a merge.'),
    require_code_owner_review: flag('Whether code owners must approve.'),
    admins_may_push: flag('Whether admins may push to the protected default branch.'),
    contributions: Audience('Who may open pull requests without write.'),
    issues_from: Audience('Who may open issues.'),
    max_open_pulls_per_author: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Open pull requests of one author without write.',
      }),
    ),
    agents_from_outside: flag('Whether agents of people without write may open pull requests.'),
    outside_runs: OneOf(['never', 'approve_always', 'approve_first', 'always'], {
      description: 'When workflows and checks of outside pull requests run.',
    }),
    session_visibility: OneOf(['public', 'readers', 'members'], {
      description: 'Who can read sessions.',
    }),
    push_protection: flag('Whether pushes that add a known form of secret are refused.'),
    secret_scanning: flag('Whether content is searched for secrets.'),
    vulnerability_reporting: flag('Whether vulnerabilities can be reported privately.'),
    issue_triage: OneOf(ISSUE_TRIAGE, {
      description:
        'Whether a model proposes labels, duplicates, a severity and a question for new issues, and whether it adds labels that exist by itself.',
    }),
    issues_enabled: Type.Boolean(),
    wiki_enabled: Type.Boolean(),
    packages_enabled: Type.Boolean(),
    workflows_enabled: Type.Boolean(),
    check_timeout_minutes: Type.Integer({
      minimum: 1,
      maximum: 360,
      description: 'The time that one acceptance check command has.',
    }),
  },
  { $id: 'RepoSettings' },
)
export type RepoSettings = Static<typeof RepoSettings>

export const DEFAULT_SETTINGS: RepoSettings = {
  required_approvals: 0,
  count_agent_approvals: false,
  allow_ignoring_checks: false,
  require_up_to_date: true,
  agent_review: false,
  agent_permissions: 'auto',
  agent_hosts: null,
  max_revisions: 3,
  auto_merge: false,
  agent_auto_merge_needs_person: true,
  merge_queue: false,
  queue_slots: 3,
  merge_methods: ['merge', 'squash', 'rebase'],
  default_merge_method: 'merge',
  delete_branch_on_merge: true,
  dismiss_stale_approvals: true,
  require_last_push_approval: true,
  require_conversation_resolution: false,
  require_code_owner_review: false,
  admins_may_push: true,
  contributions: 'anyone',
  issues_from: 'anyone',
  max_open_pulls_per_author: null,
  agents_from_outside: true,
  outside_runs: 'approve_always',
  session_visibility: 'readers',
  push_protection: true,
  secret_scanning: true,
  vulnerability_reporting: true,
  issue_triage: 'off',
  issues_enabled: true,
  wiki_enabled: true,
  packages_enabled: true,
  workflows_enabled: true,
  check_timeout_minutes: 30,
}

export const settingsOf = (row: Pick<RepoRow, 'settings'>): RepoSettings => ({
  ...DEFAULT_SETTINGS,
  ...JSON.parse(row.settings),
})

const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Returns the settings that differ from the defaults, which is the stored form. */
export const differencesFromDefaults = (settings: RepoSettings): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => !isSameJson(value, DEFAULT_SETTINGS[name as keyof RepoSettings]),
    ),
  )

/** Returns the names of the settings whose values differ between `a` and `b`. */
export const changedSettings = (a: RepoSettings, b: RepoSettings): string[] =>
  (Object.keys(DEFAULT_SETTINGS) as (keyof RepoSettings)[]).filter(
    (name) => !isSameJson(a[name], b[name]),
  )
