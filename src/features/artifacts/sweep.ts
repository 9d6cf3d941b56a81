/**
 * Deletes the files of artifacts whose time is over, caches that nobody uses, and uploads of jobs that
 * have ended.
 */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { uploads } from './results/uploads.ts'
import { expireArtifacts } from './store-artifacts.ts'
import { UNUSED_CACHE_DAYS } from './job-caches.ts'
import { removeUnusedCaches } from './store-caches.ts'

const BATCH = 200

export const sweepArtifacts = job<null>({
  kind: 'sweep_artifacts',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const sweeps = [
      () => writeAs(hearth, null, (tx) => expireArtifacts(tx, BATCH)),
      () =>
        writeAs(hearth, null, (tx) =>
          removeUnusedCaches(tx, timestamp(tx.now_ms - UNUSED_CACHE_DAYS * DAY), BATCH),
        ),
    ]
    await uploads(hearth).sweep()
    for (const sweep of sweeps) while (!signal.aborted && (await sweep()) === BATCH);
  },
})
