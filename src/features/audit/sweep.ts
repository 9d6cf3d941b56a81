/** Takes away entries whose time of keeping is over. */
import { removeAudit } from '#core/audit.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'

/** So many in one transaction: others wait while it runs. */
const AT_ONCE = 1000

export const sweepAuditLog = job<null>({
  kind: 'sweep_audit_log',
  every: '24h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - hearth.settings.audit.keep_days * DAY)
    while (!signal.aborted)
      if ((await writeAs(hearth, null, (tx) => removeAudit(tx.db, before, AT_ONCE))) < AT_ONCE)
        return
  },
})
