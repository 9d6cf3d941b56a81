/** Records of artifacts and caches. */
import { Id, ListOf, Nullable, Time, Type, type Static } from '#core/schema.ts'

export const Artifact = Type.Object(
  {
    id: Id('art'),
    run: Id('run'),
    name: Type.String(),
    size_in_bytes: Type.Integer({ description: 'The size of its zip archive.' }),
    digest: Nullable(
      Type.String({ description: 'sha256: and 64 hex digits; null once it has expired.' }),
    ),
    expired: Type.Boolean({ description: 'Whether its files are deleted.' }),
    created_at: Time,
    expires_at: Time,
  },
  { $id: 'Artifact', description: 'Files that a job of a run has uploaded, as a zip archive.' },
)
export type Artifact = Static<typeof Artifact>
export const Artifacts = ListOf(Artifact)

export const Cache = Type.Object(
  {
    id: Id('cac'),
    key: Type.String(),
    ref: Type.String({ description: 'The full name of the ref whose run wrote it.' }),
    size_in_bytes: Type.Integer(),
    created_at: Time,
    last_used_at: Time,
  },
  { $id: 'Cache', description: 'Files that jobs restore in later runs.' },
)
export type Cache = Static<typeof Cache>
export const Caches = ListOf(Cache)

const Totals = { count: Type.Integer(), bytes: Type.Integer() }

const RepoUsage = Type.Object({
  repository: Type.String({ description: 'Its full name.' }),
  deleted: Type.Boolean({ description: 'Whether it is deleted and can be restored.' }),
  artifacts_bytes: Type.Integer(),
  caches_bytes: Type.Integer(),
  logs_bytes: Type.Integer(),
})
export type RepoUsage = Static<typeof RepoUsage>

export const ActionsUsage = Type.Object(
  {
    bytes: Type.Integer({ description: 'Of artifacts, caches and logs together.' }),
    artifacts: Type.Object({
      ...Totals,
      keep_days: Type.Integer({ description: 'The most days that artifacts are kept.' }),
    }),
    caches: Type.Object({
      ...Totals,
      unused_days: Type.Integer({ description: 'Caches go when no job used them for so long.' }),
      max_bytes: Type.Integer({ description: 'What those of one repository may take.' }),
    }),
    logs: Type.Object({
      ...Totals,
      keep_days: Type.Integer({ description: 'How long they are kept.' }),
    }),
    quota: Type.Object(
      { used: Type.Integer(), limit: Nullable(Type.Integer()) },
      { description: 'Of the whole workspace; limit is null without one.' },
    ),
    largest_artifacts: Type.Array(Artifact, {
      description: 'Of a repository: its largest, at most ten. Empty for a workspace.',
    }),
    repositories: Type.Array(RepoUsage, {
      description: 'Of a workspace: the largest first, at most 100. Empty for a repository.',
    }),
  },
  { $id: 'ActionsUsage', description: 'What the runs of workflows have stored.' },
)
export type ActionsUsage = Static<typeof ActionsUsage>

/** Inputs shared by several operations. */
export const ArtifactId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of an artifact.',
})
export const CacheId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of a cache.',
})
