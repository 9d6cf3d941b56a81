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
