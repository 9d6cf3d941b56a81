import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { familyOf } from './family.ts'
import { LfsBatch, LfsOid } from './schema.ts'
import { findObject } from './store-objects.ts'

/** Says which files a client can download. */
export const startLfsDownload = operation({
  name: 'start_lfs_download',
  summary: 'Say which large files of a repository can be downloaded.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, objects: LfsBatch }),
  output: Type.Object({
    objects: Type.Array(
      Type.Object({
        oid: LfsOid,
        size: Type.Integer({ description: 'Of the stored file; as asked without one.' }),
        stored: Type.Boolean(),
      }),
    ),
  }),

  handler: ({ db, repo }, { objects }) => ({
    objects: objects.map(({ oid, size }) => {
      const row = findObject(db, familyOf(repo), oid)
      return { oid, size: row?.size_in_bytes ?? size, stored: row !== null }
    }),
  }),
})
