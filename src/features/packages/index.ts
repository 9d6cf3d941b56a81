/** Packages: what a workspace publishes for the clients of registries. A leaf. */
import { blobHolders } from '#core/blobs.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { jobHomeFiles } from '#core/job-homes.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import { usageCounters, workspaceContents } from '#features/workspaces/index.ts'
import { packagesRoute } from './door/packages-route.ts'
import { events } from './events.ts'
import { containerRoutes } from './formats/container/door.ts'
import { sweepUploads } from './formats/container/uploads.ts'
import { jobClientFiles } from './job-files.ts'
import { followRepository } from './follow-repository.ts'
import * as operations from './operations.ts'
import { purgePackages } from './purge-packages.ts'
import { applyRetention } from './retention/apply-rules.ts'
import { countPackagesOfWorkspace } from './store.ts'
import { evictUpstreamFiles } from './upstreams/evict.ts'
import { countUpstreamBytes, isBlobOfUpstream, listBlobsOfUpstreams } from './upstreams/store.ts'
import { countPackageBytes, isBlobOfPackage, listBlobsOfPackages } from './store-versions.ts'

export * from './schema.ts'
export * from './operations.ts'
export { upstreamSnippets } from './upstreams/snippets.ts'
export { installSnippets, publishingSteps, type PublishingSteps } from './snippets.ts'
export type { Snippet } from './format.ts'
export type { ImageParts } from './images/image-parts.ts'
export type { PackageAccess } from './access/schema.ts'
export {
  DEFAULT_UPSTREAM_URLS,
  TYPES_WITH_AGES,
  UPSTREAM_TYPES,
  type Upstream,
  type UpstreamPackage,
  type UpstreamType,
} from './upstreams/schema.ts'
export type { Retention, RetentionPreview } from './retention/schema.ts'
export { packageFacts } from './package-facts.ts'

export const feature: Feature = {
  name: 'packages',
  operations: Object.values(operations),
  events,
  reactions: followRepository,
  jobs: [purgePackages, applyRetention, sweepUploads, evictUpstreamFiles] as Job[],
  extensions: [
    protocolRoutes.with(packagesRoute),
    jobHomeFiles.with(jobClientFiles),
    ...containerRoutes.map((route) => protocolRoutes.with(route)),
    blobHolders.with({ isReferenced: isBlobOfPackage, list: listBlobsOfPackages }),
    usageCounters.with({ part: 'packages_bytes', count: countPackageBytes }),
    usageCounters.with({ part: 'packages_bytes', count: countUpstreamBytes }),
    blobHolders.with({ isReferenced: isBlobOfUpstream, list: listBlobsOfUpstreams }),
    workspaceContents.with((db, workspace_id) => ({
      count: countPackagesOfWorkspace(db, workspace_id),
      what: 'packages',
    })),
  ],
}
