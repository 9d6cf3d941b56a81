/** Removes old logs, and the logs of purged repositories. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeLog, removeLogsOfRepo } from './logs.ts'
import { listOldLogs, setLogRemoved } from './store.ts'

const LOGS_PER_BATCH = 200

/** Removes old logs. Results stay, with the end of their output. */
export const sweepLogs = job<null>({
  kind: 'sweep_check_logs',
  every: '6h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - hearth.settings.checks.keep_days * DAY)
    for (;;) {
      const old = listOldLogs(hearth.db, before, LOGS_PER_BATCH)
      for (const { id, run_id, repo_id } of old) removeLog(hearth, { id, run_id, repo_id })
      await writeAs(hearth, null, (tx) => {
        for (const { id } of old) setLogRemoved(tx, id)
      })
      if (old.length < LOGS_PER_BATCH || signal.aborted) return
    }
  },
})

export const removeLogs = job<{ repo_id: string }>({
  kind: 'remove_check_logs',
  run: ({ hearth }, { repo_id }) => removeLogsOfRepo(hearth, repo_id),
})
