import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { assetRecord } from './release-record.ts'
import { Assets, ReleaseId } from './schema.ts'
import { requireRelease } from './store.ts'
import { countAssets, listAssetRows } from './store-assets.ts'

export const listReleaseAssets = operation({
  name: 'list_release_assets',
  summary:
    'List the files of a release that you can see, by name, each with its size, digest and address.',
  keywords: ['files of a release', 'downloads', 'binaries of a release'],
  route: 'GET /repos/{owner}/{name}/releases/{id}/assets',
  toolset: 'releases',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath, id: ReleaseId, ...byPage() }),
  output: Assets,
  list: 'page',

  handler: ({ hearth, db, repo }, { id, ...paging }) => {
    const release = requireRelease(db, repo.id, id, repo.can('write'))
    const window = windowOf(paging)
    const rows = listAssetRows(db, release.id, window.limit + 1, window.offset)
    return pageOf(
      rows.map((row) => assetRecord(hearth, repo, release, row)),
      window,
      countAssets(db, release.id),
    )
  },
})
