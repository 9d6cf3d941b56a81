/** Schemas of mirror links. */
import {
  Actor,
  Id,
  Nullable,
  OneOf,
  RecordNumber,
  Sha,
  Time,
  Type,
  type Static,
} from '#core/schema.ts'

export const MAX_MIRRORS = 10
export const ROLES = ['leader', 'follower'] as const
export const PROVIDERS = ['generic', 'gitea', 'forgejo', 'github', 'gitlab'] as const
export const MIRROR_STATES = [
  'setting_up',
  'standing_by',
  'ci_failover',
  'takeover',
  'handing_back',
  'following',
  'diverged',
  'paused',
  'failed',
] as const
export type MirrorState = (typeof MIRROR_STATES)[number]

const NOTIFY = ['none', 'admins', 'members'] as const
const HAND_BACK = ['manual', 'automatic'] as const
const REMOTE_PUSHES = ['hold', 'fast_forward', 'refuse'] as const

const settings = {
  notify: OneOf(NOTIFY, { description: 'Who gets a mail when the state changes.' }),
  take_over_after: Nullable(
    Type.Integer({
      minimum: 5,
      maximum: 10_080,
      description: 'Minutes without the remote until this service takes over by itself.',
    }),
  ),
  hand_back: OneOf(HAND_BACK, {
    description: 'automatic: once the remote was reachable for 10 minutes and nothing conflicts.',
  }),
  keep_ci_warm: Type.Boolean({
    description: 'Whether workflows run here as well while the remote leads.',
  }),
  ext_workflows: Type.Boolean({
    description:
      'Whether workflow files in the folder that the forge of the remote reads (.github, .gitea or .forgejo) run here beside those of .hearth/workflows.',
  }),
  hold_deploys: Type.Boolean({
    description: 'Whether deployments wait for approval in ci_failover and takeover.',
  }),
  report_checks: Type.Boolean({ description: 'Whether results are reported to the remote.' }),
  remote_pushes: OneOf(REMOTE_PUSHES, {
    description:
      'Commits that appear on the remote during a takeover: hold keeps them aside, fast_forward takes those that only add, refuse overwrites them at hand back.',
  }),
}
export const MirrorSettings = Type.Object(settings)
export type MirrorSettings = Static<typeof MirrorSettings>
/** Settings in an input: those that are left out stay, or get their default. */
export const MirrorSettingsInput = Type.Partial(Type.Object(settings))

export const Mirror = Type.Object(
  {
    id: Id('rmt'),
    repo_id: Id('rep'),
    repo: Type.String({ description: 'The repository as <owner>/<name>.' }),
    provider: Type.String({ description: 'generic, or the kind of forge.' }),
    role: OneOf(ROLES, {
      description: 'leader: the remote leads. follower: it is pushed to.',
    }),
    name: Type.String(),
    url: Type.String({ description: 'Without name and password.' }),
    state: OneOf(MIRROR_STATES),
    state_since: Time,
    state_by: Nullable(Actor),
    reachable: Type.Boolean(),
    checks_silent: Type.Boolean({
      description:
        'Whether the remote answers, but its checks have reported nothing for half an hour.',
    }),
    unreachable_since: Nullable(Time),
    synced_at: Nullable(Time),
    last_error: Nullable(Type.String()),
    checks_problem: Nullable(Type.String()),
    has_secret: Type.Boolean(),
    ssh_public_key: Nullable(
      Type.String({
        description:
          'For an ssh address: the key that the remote has to accept, as the line of a .pub file. Null for others, and without Admin.',
      }),
    ),
    host_key: Nullable(
      Type.String({
        description: 'The fingerprint of the host key that is accepted, once it is known.',
      }),
    ),
    left_out: Type.Array(Type.String(), {
      description: 'Refs that cannot be taken over or pushed, and why.',
    }),
    created_at: Time,
    settings: MirrorSettings,
  },
  { $id: 'Mirror', description: 'The link of a repository to one on another server.' },
)
export type Mirror = Static<typeof Mirror>

export const PLAN_ACTIONS = ['unchanged', 'push', 'fetch', 'create', 'delete', 'conflict'] as const
export type PlanAction = (typeof PLAN_ACTIONS)[number]

export const HandBackPlan = Type.Object(
  {
    created_at: Time,
    ready: Type.Boolean({ description: 'Whether nothing conflicts.' }),
    refs: Type.Array(
      Type.Object({
        ref: Type.String(),
        takeover_sha: Nullable(Sha),
        service_sha: Nullable(Sha),
        remote_sha: Nullable(Sha),
        action: OneOf(PLAN_ACTIONS),
        commits_ahead: Type.Integer(),
        commits_behind: Type.Integer(),
      }),
    ),
    refs_count: Type.Integer({ description: 'How many refs there are; at most 1000 are listed.' }),
    deploys_held: Type.Integer(),
    pulls_merged: Type.Array(RecordNumber),
  },
  { $id: 'HandBackPlan', description: 'What a hand back would do with each ref.' },
)
export type HandBackPlan = Static<typeof HandBackPlan>

export const MirrorLink = Type.Object(
  {
    remotes: Type.Array(Mirror),
    plan: Nullable(HandBackPlan),
    can_manage: Type.Boolean(),
  },
  { $id: 'MirrorLink', description: 'The mirror links of a repository.' },
)
export type MirrorLink = Static<typeof MirrorLink>
