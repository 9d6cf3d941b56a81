/** Artifacts and caches: files that jobs of workflows leave for people and for other jobs. A leaf. */
import { blobHolders } from '#core/blobs.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import { countLogBytes } from '#features/workflows/index.ts'
import { usageCounters } from '#features/workspaces/index.ts'
import * as operations from './operations.ts'
import { resultsRoutes } from './results/routes.ts'
import {
  countArtifactBytes,
  holdsArtifactBlob,
  listArtifactBlobs,
  removeArtifactsOfRepo,
} from './store-artifacts.ts'
import {
  countCacheBytes,
  holdsCacheBlob,
  listCacheBlobs,
  removeCachesOfRepo,
} from './store-caches.ts'
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
    usageCounters.with({ part: 'artifacts_bytes', count: countArtifactBytes }),
    usageCounters.with({ part: 'caches_bytes', count: countCacheBytes }),
    usageCounters.with({ part: 'actions_bytes', count: countArtifactBytes }),
    usageCounters.with({ part: 'actions_bytes', count: countCacheBytes }),
    usageCounters.with({ part: 'actions_bytes', count: countLogBytes }),
    ...resultsRoutes.map((route) => protocolRoutes.with(route)),
  ],
}
