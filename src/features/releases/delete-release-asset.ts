import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { requireNotFrozen } from './requirements.ts'
import { AssetId } from './schema.ts'
import { requireRelease } from './store.ts'
import { removeAsset, requireAsset } from './store-assets.ts'

export const deleteReleaseAsset = operation({
  name: 'delete_release_asset',
  summary: 'Take a file off a release (Write). The answer is empty.',
  keywords: ['remove a file from a release', 'delete a binary'],
  route: 'DELETE /repos/{owner}/{name}/release-assets/{id}',
  toolset: 'releases',
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({ repo: RepoPath, id: AssetId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ hearth, repo, write }, { id }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const asset = requireAsset(tx.db, repo.id, id)
      const release = requireRelease(tx.db, repo.id, asset.release_id, true)
      requireNotFrozen(hearth, release, 'no file can be taken away')
      removeAsset(tx, asset.id)
      auditRepo(tx, 'release.file_deleted', live, {
        before: {
          release: release.id,
          tag: release.tag_name,
          file: asset.name,
          sha256: asset.sha256,
        },
      })
      return null
    }),
})
