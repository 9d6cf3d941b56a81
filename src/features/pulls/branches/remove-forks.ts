/**
 * Removes the forks of pull requests 30 days after they were closed. Until then they can be
 * reopened.
 */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { removeFork } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { findPullById, listForksToRemove } from '../store-pulls.ts'

const RETENTION_DAYS = 30
const FORKS_PER_BATCH = 200

export const removeForks = job<null>({
  kind: 'remove_forks',
  every: '6h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const { id, fork_id } of listForksToRemove(
        tx.db,
        timestamp(tx.now_ms - RETENTION_DAYS * DAY),
        FORKS_PER_BATCH,
      )) {
        if (findPullById(tx.db, id)?.status === 'closed') removeFork(tx, fork_id)
      }
    }),
})
