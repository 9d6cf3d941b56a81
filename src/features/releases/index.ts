/** Releases: versions that are given out, with their notes and files. A leaf. */
import { blobHolders } from '#core/blobs.ts'
import type { Feature } from '#core/hearth.ts'
import { belongings, keptCommits, releasedTags, releaseOfTag } from '#features/repos/index.ts'
import { usageParts } from '#features/workspaces/index.ts'
import { createRelease } from './create-release.ts'
import { deleteReleaseAsset } from './delete-release-asset.ts'
import { deleteRelease } from './delete-release.ts'
import { draftReleaseNotes } from './draft-release-notes.ts'
import { events } from './events.ts'
import { getLatestRelease } from './get-latest-release.ts'
import { getReleaseByTag } from './get-release-by-tag.ts'
import { getRelease } from './get-release.ts'
import { listReleaseAssets } from './list-release-assets.ts'
import { listReleases } from './list-releases.ts'
import { openReleaseAsset } from './open-release-asset.ts'
import { countAssetBytes, holdsBlob, listBlobs } from './store-assets.ts'
import { idOfPublished, isPublished, keptTargets, removeReleasesOf } from './store.ts'
import { updateRelease } from './update-release.ts'
import { uploadReleaseAsset } from './upload-release-asset.ts'

export * from './schema.ts'
export { releasePublished } from './events.ts'
export {
  createRelease,
  deleteRelease,
  deleteReleaseAsset,
  draftReleaseNotes,
  getLatestRelease,
  getRelease,
  getReleaseByTag,
  listReleaseAssets,
  listReleases,
  openReleaseAsset,
  updateRelease,
  uploadReleaseAsset,
}

export const feature: Feature = {
  name: 'releases',
  operations: [
    listReleases,
    getRelease,
    createRelease,
    updateRelease,
    deleteRelease,
    getLatestRelease,
    getReleaseByTag,
    draftReleaseNotes,
    listReleaseAssets,
    uploadReleaseAsset,
    deleteReleaseAsset,
    openReleaseAsset,
  ],
  events,
  extensions: [
    releasedTags.with(isPublished),
    releaseOfTag.with(idOfPublished),
    belongings.with(removeReleasesOf),
    keptCommits.with(keptTargets),
    blobHolders.with({ holds: holdsBlob, named: listBlobs }),
    usageParts.with({ part: 'artifacts_bytes', count: countAssetBytes }),
  ],
}
