import { writesRepo } from '#core/access.ts'
import { storeBlob } from '#core/blobs.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireLive } from '#features/repos/index.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { familyOf } from './family.ts'
import { LfsFile, LfsOid, LfsSize } from './schema.ts'
import { findObject, insertObject } from './store-objects.ts'

/** Takes the bytes of a file, and stores them when they have its digest. */
export const storeLfsObject = operation({
  name: 'store_lfs_object',
  summary: 'Take a large file of a push.',
  route: null,
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, oid: LfsOid, size: LfsSize }),
  output: LfsFile,

  handler: async ({ hearth, db, repo, caller, write, bytes, signal }, { oid, size }) => {
    if (bytes === null) throw new Refusal('bad_request', 'the request has no file')
    const { max_bytes } = hearth.settings.lfs
    const family = familyOf(repo)
    // Checked before the bytes are received, and again afterwards.
    const requireLfsQuota = (from: typeof db): void =>
      requireQuota(hearth, from, repo.workspace_id, 'lfs_bytes', size)
    requireLfsQuota(db)
    if (bytes.length !== null && bytes.length !== size)
      throw invalid('size', `the file has ${bytes.length} bytes in place of ${size}`)
    await storeBlob(hearth, bytes.stream, {
      maxBytes: max_bytes,
      length: size,
      sha256: oid,
      ownsPieces: true,
      signal,
    })
    return write((tx) => {
      requireLive(tx.db, family)
      if (findObject(tx.db, family, oid) === null) {
        requireLfsQuota(tx.db)
        insertObject(tx, {
          repo_id: family,
          oid,
          size_in_bytes: size,
          uploader_id: caller.id,
        })
      }
      return { oid, size }
    })
  },
})
