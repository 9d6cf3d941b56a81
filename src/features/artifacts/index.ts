/** Artifacts and caches: files that jobs of workflows leave for people and for other jobs. A leaf. */
import { blobHolders } from '#core/blobs.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import { repoDataRemovers, storedBytesCounter } from '#features/repos/index.ts'
import { usageCounters } from '#features/workspaces/index.ts'
import * as operations from './operations.ts'
import { resultsRoutes } from './results/routes.ts'
import { holdsArtifactBlob, listArtifactBlobs, removeArtifactsOfRepo } from './store-artifacts.ts'
import { holdsCacheBlob, listCacheBlobs, removeCachesOfRepo } from './store-caches.ts'
import { sweepArtifacts } from './sweep.ts'

export * from './operations.ts'
export * from './schema.ts'
export {
  artifactFile,
  artifactsForJob,
  createArtifact,
} from './job-artifacts.ts'
export {
  cacheFile,
  findCacheForJob,
  mayWriteCaches,
  saveCache,
} from './job-caches.ts'

export const feature: Feature = {
  name: 'artifacts',
  operations: Object.values(operations),
  jobs: [sweepArtifacts as Job],
  extensions: [
    repoDataRemovers.with(removeArtifactsOfRepo),
    repoDataRemovers.with(removeCachesOfRepo),
    blobHolders.with({ isReferenced: holdsArtifactBlob, list: listArtifactBlobs }),
    blobHolders.with({ isReferenced: holdsCacheBlob, list: listCacheBlobs }),
    usageCounters.with({ part: 'artifacts_bytes', count: storedBytesCounter('artifacts') }),
    usageCounters.with({ part: 'caches_bytes', count: storedBytesCounter('caches') }),
    usageCounters.with({ part: 'actions_bytes', count: storedBytesCounter('artifacts') }),
    usageCounters.with({ part: 'actions_bytes', count: storedBytesCounter('caches') }),
    usageCounters.with({ part: 'actions_bytes', count: storedBytesCounter('logs') }),
    ...resultsRoutes.map((route) => protocolRoutes.with(route)),
  ],
}
