/** Schemas of repository records, shared by REST, tools and pages. */
import {
  Actor,
  FreeForm,
  Id,
  Nullable,
  OneOf,
  RepoPath,
  Slug,
  Time,
  toolRecord,
  Type,
  type Static,
} from '#core/schema.ts'
export * from './schema-code.ts'
export * from './schema-insights.ts'
export { RepoSettings } from './settings/repo-settings.ts'

export const RoleWord = OneOf(['read', 'triage', 'write', 'maintain', 'admin'])

export const Permissions = Type.Object({
  read: Type.Boolean(),
  triage: Type.Boolean(),
  write: Type.Boolean(),
  maintain: Type.Boolean(),
  admin: Type.Boolean(),
})

export const repoInTools = toolRecord({
  follows: ['name', 'workspace', 'owner', 'visibility', 'html_url', 'permissions'],
  usual: { topics: [], archived: false, empty: false, state: 'active' },
})

export const Repo = Type.Object(
  {
    id: Id('rep'),
    name: Type.String(),
    full_name: Type.String(),
    workspace: Slug,
    owner: Type.String({ description: 'The same as workspace.' }),
    description: Nullable(Type.String()),
    website: Nullable(Type.String()),
    topics: Type.Array(Type.String()),
    private: Type.Boolean(),
    visibility: OneOf(['public', 'private']),
    default_branch: Type.String(),
    protected: Type.Boolean({ description: 'Whether the default branch is protected.' }),
    archived: Type.Boolean(),
    empty: Type.Boolean({ description: 'Whether it has no branch yet.' }),
    state: OneOf(['active', 'archived', 'deleted', 'importing']),
    import_error: Nullable(
      Type.String({
        description:
          'Why the copy from `import_url` failed, for 7 days; shown to those with a role.',
      }),
    ),
    language: Nullable(Type.String()),
    license: Nullable(Type.String({ description: 'An SPDX identifier.' })),
    size_in_bytes: Type.Integer(),
    open_issues_count: Type.Integer(),
    open_pulls_count: Type.Integer(),
    stars_count: Type.Integer(),
    html_url: Type.String(),
    clone_url: Type.String(),
    ssh_url: Nullable(Type.String()),
    mirror: Nullable(Type.Object({ id: Type.String(), role: Type.String(), state: Type.String() })),
    viewer_role: Nullable(RoleWord),
    permissions: Permissions,
    created_by: Nullable(Actor),
    created_at: Time,
    updated_at: Time,
    pushed_at: Nullable(Time),
    archived_at: Nullable(Time),
    deleted_at: Nullable(Time),
    deleted_by: Nullable(Actor),
    purge_at: Nullable(Time),
  },
  { $id: 'Repository', ...repoInTools },
)
export type Repo = Static<typeof Repo>

/** An event in the timeline. Webhooks deliver it without `summary` and `url`. */
export const EventRecord = Type.Object(
  {
    id: Id('evt'),
    type: Type.String(),
    time: Time,
    workspace: Type.String(),
    repository: Nullable(Type.Object({ id: Type.String(), full_name: Type.String() })),
    actor: Nullable(Actor),
    data: FreeForm(toolRecord({ omitNulls: true })),
    summary: Type.String({ description: 'One line of plain text.' }),
    url: Type.String(),
  },
  { $id: 'Event', ...toolRecord({ follows: ['workspace', 'repository', 'url'] }) },
)
export type EventRecord = Static<typeof EventRecord>

export const BranchName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'The name of a branch.',
})
/** A branch, a tag or a commit. It is resolved against the repository, so it has no pattern. */
export const Ref = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'A branch, a tag, or a commit id or a unique beginning of one.',
})
export const TreePath = Type.String({
  maxLength: 4096,
  description: 'A path from the root of the repository.',
})

/** Inputs that select lines of a file; all lines without numbers. */
export const linesOfFile = {
  repo: RepoPath,
  path: TreePath,
  ref: Type.Optional(Ref),
  from_line: Type.Optional(Type.Integer({ minimum: 1 })),
  to_line: Type.Optional(Type.Integer({ minimum: 1 })),
}
