/** Deletes entries after `audit.keep_days`. */
import { removeAudit } from '#core/audit.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'

/** The rows per transaction. Other writes wait while one runs. */
const BATCH_SIZE = 1000

export const sweepAuditLog = job<null>({
  kind: 'sweep_audit_log',
  every: '24h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - hearth.settings.audit.keep_days * DAY)
    while (!signal.aborted)
      if (
        (await writeAs(hearth, null, (tx) => removeAudit(tx.db, before, BATCH_SIZE))) < BATCH_SIZE
      )
        return
  },
})
