/**
 * Packs and uploaded files in a bucket besides this machine. A leaf; the floor asks it through
 * `core/storage.ts`.
 */
import { conditions, gauges } from '#core/gauges.ts'
import type { Feature } from '#core/hearth.ts'
import { reaction } from '#core/events.ts'
import type { Job } from '#core/jobs.ts'
import { gitPush } from '#features/repos/events.ts'
import { repoById } from '#features/repos/index.ts'
import { condition, storageGauges } from './condition.ts'
import { copyToBucket } from './jobs.ts'
import { keepBucket } from './keep-bucket.ts'

export { sweepIncoming } from './incoming.ts'
export { makeKeeper } from './keeper.ts'

/** What came with a push goes out at once. */
const onPush = reaction('storage.copy', gitPush, (tx, { repo_id }) => {
  if (tx.hearth.settings.storage === null || repo_id === null) return
  const repo = repoById(tx.db, repo_id)
  if (repo) tx.enqueue(copyToBucket, { store: repo.store }, { key: repo.store })
})

export const feature: Feature = {
  name: 'storage',
  jobs: [copyToBucket, keepBucket] as Job[],
  reactions: [onPush],
  extensions: [conditions.with(condition), ...storageGauges.map((gauge) => gauges.with(gauge))],
}
