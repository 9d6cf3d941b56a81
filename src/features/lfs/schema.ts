/** Schemas of Git LFS: large files and their locks. */
import { Actor, Id, ListOf, Time, Type, type Static } from '#core/schema.ts'

/** As many objects in one batch as clients send, and more. */
export const MAX_BATCH_OBJECTS = 1000

export const LfsOid = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'The SHA-256 of the file, 64 lowercase hex digits.',
})
export const LfsSize = Type.Integer({ minimum: 0, maximum: 2 ** 50, description: 'In bytes.' })

export const LfsFile = Type.Object({ oid: LfsOid, size: LfsSize })
export type LfsFile = Static<typeof LfsFile>
export const LfsBatch = Type.Array(LfsFile, { maxItems: MAX_BATCH_OBJECTS })

export const LockPath = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'The path of the file from the root of the repository. Case counts.',
})

export const FileLock = Type.Object(
  {
    id: Id('lck'),
    path: LockPath,
    locked_by: Actor,
    locked_at: Time,
  },
  { $id: 'FileLock', description: 'A lock that `git lfs lock` makes.' },
)
export type FileLock = Static<typeof FileLock>
export const FileLocks = ListOf(FileLock)
