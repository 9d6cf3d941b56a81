import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { familyOf } from './family.ts'
import { LfsBatch, LfsOid } from './schema.ts'
import { findObject } from './store-objects.ts'

/**
 * Says which files a client has to upload. A file that another repository has is uploaded again:
 * the digest alone proves nothing.
 */
export const startLfsUpload = operation({
  name: 'start_lfs_upload',
  summary: 'Say which large files of a push have to be uploaded.',
  route: null,
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, objects: LfsBatch }),
  output: Type.Object({
    max_bytes: Type.Integer(),
    objects: Type.Array(
      Type.Object({
        oid: LfsOid,
        size: Type.Integer(),
        state: OneOf(['stored', 'missing', 'other_size', 'too_large']),
      }),
    ),
  }),

  handler: ({ hearth, db, repo }, { objects }) => {
    const { max_bytes } = hearth.settings.lfs
    const states = objects.map(({ oid, size }) => {
      const row = findObject(db, familyOf(repo), oid)
      const state =
        row !== null
          ? row.size_in_bytes === size
            ? 'stored'
            : 'other_size'
          : size > max_bytes
            ? 'too_large'
            : 'missing'
      return { oid, size, state } as const
    })
    const missing = new Map(
      states.flatMap(({ oid, size, state }) => (state === 'missing' ? [[oid, size]] : [])),
    )
    const growth = missing.values().reduce((sum, size) => sum + size, 0)
    if (growth > 0) requireQuota(hearth, db, repo.workspace_id, 'lfs_bytes', growth)
    return { max_bytes, objects: states }
  },
})
