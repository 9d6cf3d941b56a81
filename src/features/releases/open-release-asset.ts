import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { assetRecord } from './release-record.ts'
import { Asset, TagName } from './schema.ts'
import { findReleaseByTag, requireRelease } from './store.ts'
import { countDownload, findAsset } from './store-assets.ts'

/** What the download route needs to send a file. */
export const openReleaseAsset = operation({
  name: 'open_release_asset',
  summary: 'Find a file of a release by tag, or of a draft by its id, for whoever downloads it.',
  route: null,
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({
    repo: RepoPath,
    tag: TagName,
    name: Type.String({ minLength: 1, maxLength: 255 }),
    counts: Type.Boolean({ description: 'Whether it is downloaded from its beginning.' }),
  }),
  output: Asset,

  handler: async ({ hearth, db, repo, write }, { tag, name, counts }) => {
    const published = findReleaseByTag(db, repo.id, tag)
    const release =
      published && published.published_at !== null
        ? published
        : requireRelease(db, repo.id, tag, repo.can('write'))
    const asset = findAsset(db, release.id, name.normalize('NFC'))
    if (!asset) throw notFound(`the file ${name}`)
    if (counts) {
      // A failed count must not prevent the download.
      await write((tx) => countDownload(tx, asset.id)).catch((error: unknown) =>
        hearth.log.warn('a download was not counted', { asset: asset.id, error }),
      )
    }
    return assetRecord(hearth, repo, release, asset)
  },
})
