import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import { isUsed, listUnusedBefore, listUses, removeAttachment, setUnused } from './store.ts'

/** Long enough for a draft to be finished and for an edit to be taken back. */
const UNUSED_RETENTION_MS = 7 * DAY
const BATCH_ROWS = 500

/**
 * Deletes attachments that no text has named for some days: their comment was deleted or edited, or
 * they were never used. The blob sweep deletes their files.
 */
export const collectAttachments = job<null>({
  kind: 'collect_attachments',
  every: '6h',
  run: async ({ hearth, signal }) => {
    for (let after = ''; !signal.aborted; ) {
      const rows = listUses(hearth.db, after, BATCH_ROWS)
      const last = rows.at(-1)
      if (!last) break
      after = last.id
      const changed = rows.filter(({ isUsed, wasUsed }) => isUsed !== wasUsed)
      if (changed.length === 0) await nextTurn()
      else
        await writeAs(hearth, null, (tx) => {
          for (const { id } of changed) setUnused(tx, id, isUsed(tx.db, id) ? null : tx.now)
        })
    }
    while (!signal.aborted) {
      const before = timestamp(hearth.clock.now() - UNUSED_RETENTION_MS)
      const expired = listUnusedBefore(hearth.db, before, BATCH_ROWS)
      if (expired.length === 0) return
      await writeAs(hearth, null, (tx) => {
        for (const id of expired)
          if (isUsed(tx.db, id)) setUnused(tx, id, null)
          else removeAttachment(tx, id)
      })
    }
  },
})
