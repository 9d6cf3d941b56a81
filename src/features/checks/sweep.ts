/**
 * What is not kept for ever: logs after their time, and everything of a repository that is gone.
 */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeLog, removeLogsOfRepo } from './logs.ts'
import { listOldLogs, setLogGone } from './store.ts'

const AT_ONCE = 200

/** Takes old logs away. What came of their commands stays, with the end of the output. */
export const sweepLogs = job<null>({
  kind: 'sweep_check_logs',
  every: '6h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - hearth.settings.checks.keep_days * DAY)
    for (;;) {
      const old = listOldLogs(hearth.db, before, AT_ONCE)
      for (const { id, run_id, repo_id } of old) removeLog(hearth, { id, run_id, repo_id })
      await writeAs(hearth, null, (tx) => {
        for (const { id } of old) setLogGone(tx, id)
      })
      if (old.length < AT_ONCE || signal.aborted) return
    }
  },
})

export const removeLogs = job<{ repo_id: string }>({
  kind: 'remove_check_logs',
  run: ({ hearth }, { repo_id }) => removeLogsOfRepo(hearth, repo_id),
})
