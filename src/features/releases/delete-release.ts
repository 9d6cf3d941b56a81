import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { updateLatest } from './latest-release.ts'
import { requireNotFrozen } from './requirements.ts'
import { ReleaseId } from './schema.ts'
import { removeRelease, requireRelease } from './store.ts'
import { countAssets } from './store-assets.ts'

export const deleteRelease = operation({
  name: 'delete_release',
  summary: 'Delete a release with its files (Maintain). Its tag stays. The answer is empty.',
  keywords: ['remove a release', 'unpublish a version'],
  route: 'DELETE /repos/{owner}/{name}/releases/{id}',
  toolset: 'releases',
  access: writesRepo('maintain', { scope: 'repo:write' }),
  input: Type.Object({ repo: RepoPath, id: ReleaseId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ hearth, repo, write }, { id }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireRelease(tx.db, repo.id, id, true)
      requireNotFrozen(hearth, row, 'it cannot be deleted')
      const files = countAssets(tx.db, row.id)
      removeRelease(tx, row.id)
      updateLatest(tx, repo.id)
      auditRepo(tx, 'release.deleted', live, {
        before: { release: row.id, tag: row.tag_name, name: row.name, files },
      })
      return null
    }),
})
