/** Releases: published versions with their notes and files. A leaf. */
import { blobHolders } from '#core/blobs.ts'
import type { Feature } from '#core/hearth.ts'
import {
  authorChanges,
  repoDataRemovers,
  retainedCommits,
  releasedTags,
  releasesOfTags,
  releaseImporters,
  storedBytesCounter,
} from '#features/repos/index.ts'
import { usageCounters } from '#features/workspaces/index.ts'
import { events } from './events.ts'
import { releaseImporter } from './import-releases.ts'
import { holdsBlob, listBlobs } from './store-assets.ts'
import {
  changeAuthorOfReleases,
  isTagPublished,
  publishedIds,
  listRetainedTargets,
  removeReleasesOf,
} from './store.ts'
import * as operations from './operations.ts'

export * from './schema.ts'
export { findReleaseByTag } from './store.ts'

export * from './operations.ts'

export const feature: Feature = {
  name: 'releases',
  operations: Object.values(operations),
  events,
  extensions: [
    releasedTags.with(isTagPublished),
    releasesOfTags.with(publishedIds),
    releaseImporters.with(releaseImporter),
    authorChanges.with(changeAuthorOfReleases),
    repoDataRemovers.with(removeReleasesOf),
    retainedCommits.with(listRetainedTargets),
    blobHolders.with({ isReferenced: holdsBlob, list: listBlobs }),
    usageCounters.with({ part: 'artifacts_bytes', count: storedBytesCounter('release_assets') }),
  ],
}
