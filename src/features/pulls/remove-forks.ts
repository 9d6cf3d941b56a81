/**
 * Closed pull requests keep their fork for 30 days, so that they can be reopened; then its refs go.
 */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { removeFork } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { findPullById, listForksToRemove } from './store.ts'

const KEPT_DAYS = 30
const AT_ONCE = 200

export const removeForks = job<null>({
  kind: 'remove_forks',
  every: '6h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const { id, fork_id } of listForksToRemove(
        tx.db,
        timestamp(tx.now_ms - KEPT_DAYS * DAY),
        AT_ONCE,
      )) {
        if (findPullById(tx.db, id)?.status === 'closed') removeFork(tx, fork_id)
      }
    }),
})
