import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { familyOf } from './family.ts'
import { LfsFile, LfsOid } from './schema.ts'
import { findObject } from './store-objects.ts'

/** What a download needs to send a file. */
export const openLfsObject = operation({
  name: 'open_lfs_object',
  summary: 'Find a large file for whoever downloads it.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, oid: LfsOid }),
  output: LfsFile,

  handler: ({ db, repo }, { oid }) => {
    const row = findObject(db, familyOf(repo), oid)
    if (!row) throw notFound(`the large file ${oid}`)
    return { oid, size: row.size_in_bytes }
  },
})
