/** Records of site administration as clients see them. */
import { FreeForm, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

const Limited = (what: string) =>
  Type.Object({
    used: Type.Number({ description: what }),
    limit: Nullable(Type.Integer({ description: 'Null is without limit.' })),
  })

export const Usage = Type.Object(
  {
    repos_bytes: Limited(
      'Bytes of git objects, those of deleted repositories that can be restored too.',
    ),
    lfs_bytes: Limited('Bytes of large files.'),
    packages_bytes: Limited('Bytes of packages.'),
    artifacts_bytes: Limited('Bytes of files of releases and of artifacts of workflows.'),
    actions_bytes: Limited('Bytes of artifacts, caches and logs of workflows.'),
    caches_bytes: Limited('Bytes of caches, which count for actions_bytes only.'),
    repositories: Limited('Repositories that are not deleted.'),
    members: Limited('People who belong to it.'),
    run_minutes_this_month: Limited('Minutes of workflow runs since the first of the month, UTC.'),
    agent_usd_this_month: Limited(
      'Dollars that sessions of agents cost since then; these have no quota.',
    ),
  },
  { $id: 'Usage', description: 'What a workspace takes, against its quotas.' },
)
export type Usage = Static<typeof Usage>

const Limit = Nullable(Type.Integer({ minimum: 0 }))
export const Quota = Type.Object(
  {
    workspace: Type.String(),
    repos_bytes: Limit,
    lfs_bytes: Limit,
    packages_bytes: Limit,
    artifacts_bytes: Limit,
    actions_bytes: Limit,
    repositories: Limit,
    members: Limit,
    run_minutes: Limit,
    updated_at: Nullable(Time),
  },
  { $id: 'Quota', description: 'How far a workspace may grow; null is without limit.' },
)
export type Quota = Static<typeof Quota>

export const SiteWorkspace = Type.Object(
  { id: Id('wsp'), slug: Type.String(), name: Type.String(), created_at: Time, usage: Usage },
  { $id: 'SiteWorkspace', description: 'A workspace as site administrators see it.' },
)
export type SiteWorkspace = Static<typeof SiteWorkspace>
export const SiteWorkspaces = ListOf(SiteWorkspace)

export const JOB_STATES = ['waiting', 'running', 'failed'] as const

export const BackgroundJob = Type.Object(
  {
    id: Type.String(),
    kind: Type.String(),
    state: OneOf(JOB_STATES),
    attempt: Type.Integer({ description: 'How often it was begun.' }),
    run_at: Time,
    error: Nullable(Type.String({ description: 'What went wrong the last time.' })),
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'BackgroundJob',
    description: 'Work that goes on by itself. What is done is gone from the table.',
  },
)
export type BackgroundJob = Static<typeof BackgroundJob>
export const BackgroundJobs = ListOf(BackgroundJob)

export const SiteSetting = Type.Object(
  {
    name: Type.String({ description: 'As it is written in hearth.toml.' }),
    value: Type.Unknown({ description: 'What holds now. Of a secret only whether there is one.' }),
    changeable: Type.Boolean({ description: 'Whether update_site_settings takes it.' }),
    source: OneOf(['default', 'file', 'environment', 'flag', 'site'], {
      description: 'Where it comes from; site is a change made here.',
    }),
    help: Type.String(),
  },
  { $id: 'SiteSetting' },
)
export type SiteSetting = Static<typeof SiteSetting>

export const SiteSettings = Type.Object(
  {
    settings: FreeForm({ description: 'Those that may change while it runs, by name.' }),
    all: Type.Array(SiteSetting, { description: 'Every setting of the installation.' }),
  },
  { $id: 'SiteSettings', description: 'What the installation is set to.' },
)
export type SiteSettings = Static<typeof SiteSettings>

const Bytes = Type.Integer({ description: 'Bytes.' })
export const SiteStatus = Type.Object(
  {
    version: Type.String(),
    update_available: Nullable(
      Type.String({
        description: 'Always null: no other machine is asked whether there is a newer release.',
      }),
    ),
    site_url: Type.String(),
    time: Time,
    uptime_seconds: Type.Integer(),
    memory_bytes: Bytes,
    database: Type.Object({
      bytes: Bytes,
      wal_bytes: Bytes,
      migration: Nullable(Type.String({ description: 'The last one it went through.' })),
    }),
    disk: Type.Object({
      free_bytes: Bytes,
      size_bytes: Bytes,
      writable: Type.Boolean({ description: 'False while changes are refused for want of room.' }),
    }),
    queues: Type.Array(
      Type.Object({
        kind: Type.String(),
        waiting: Type.Integer(),
        running: Type.Integer(),
        failed: Type.Integer(),
        every: Nullable(
          Type.String({
            description: 'How often it comes again by itself; null when something asks for it.',
          }),
        ),
      }),
    ),
    git: Type.Object(
      { running: Type.Integer(), waiting: Type.Integer() },
      { description: 'Heavy work of git: transfers, archives, and reading through history.' },
    ),
    backups: Nullable(Type.Object({ state: Type.String(), detail: Type.String() })),
    counts: Type.Object({
      users: Type.Integer(),
      workspaces: Type.Integer(),
      repositories: Type.Integer(),
    }),
    conditions: Type.Array(
      Type.Object({
        name: Type.String(),
        state: OneOf(['ok', 'attention', 'failing', 'off']),
        detail: Type.String(),
        href: Nullable(Type.String({ description: 'A page of the site about it.' })),
      }),
      { description: 'What the parts say of themselves.' },
    ),
  },
  { $id: 'SiteStatus', description: 'How the installation does.' },
)
export type SiteStatus = Static<typeof SiteStatus>
