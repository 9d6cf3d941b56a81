/**
 * Offloads packs and uploaded files to a bucket. A leaf; core uses it through `core/storage.ts`.
 */
import { conditions, gauges } from '#core/gauges.ts'
import type { Feature } from '#core/hearth.ts'
import { reaction } from '#core/events.ts'
import type { Job } from '#core/jobs.ts'
import { gitPush } from '#features/repos/events.ts'
import { repoById } from '#features/repos/index.ts'
import { condition, storageGauges } from './condition.ts'
import { copyToBucket } from './copy-job.ts'
import { maintainBucket } from './maintain-bucket.ts'

export { sweepIncoming } from './incoming-files.ts'
export { createBucketStorage } from './bucket-storage.ts'

/** Copies new packs right after a push. */
const copyAfterPush = reaction('storage.copy', gitPush, (tx, { repo_id }) => {
  if (tx.hearth.settings.storage === null || repo_id === null) return
  const repo = repoById(tx.db, repo_id)
  if (repo) tx.enqueue(copyToBucket, { store: repo.store }, { key: repo.store })
})

export const feature: Feature = {
  name: 'storage',
  jobs: [copyToBucket, maintainBucket] as Job[],
  reactions: [copyAfterPush],
  extensions: [conditions.with(condition), ...storageGauges.map((gauge) => gauges.with(gauge))],
}
