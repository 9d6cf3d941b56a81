/** Git LFS: large files beside a repository, and locks of files. A leaf. */
import { blobHolders } from '#core/blobs.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import {
  largeFileCopiers,
  moveRules,
  repoDataRemovers,
  storedLargeFiles,
  storedBytesCounter,
} from '#features/repos/index.ts'
import { usageCounters } from '#features/workspaces/index.ts'
import { collectLfsObjects } from './collect-objects.ts'
import { largeFileCopier } from './copy-files.ts'
import { events } from './events.ts'
import { missingFiles } from './missing-files.ts'
import * as operations from './operations.ts'
import { listStoredFiles } from './stored-files.ts'
import { holdsBlob, listBlobs, removeObjectsOf } from './store-objects.ts'

export * from './schema.ts'
export * from './operations.ts'
export { listLfsFiles } from './list-lfs-files.ts'

export const feature: Feature = {
  name: 'lfs',
  operations: Object.values(operations),
  events,
  jobs: [collectLfsObjects as Job],
  extensions: [
    moveRules.with(missingFiles),
    largeFileCopiers.with(largeFileCopier),
    storedLargeFiles.with(listStoredFiles),
    repoDataRemovers.with(removeObjectsOf),
    blobHolders.with({ isReferenced: holdsBlob, list: listBlobs }),
    usageCounters.with({ part: 'lfs_bytes', count: storedBytesCounter('lfs') }),
  ],
}
