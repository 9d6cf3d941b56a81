/** Deletes advisories that newer ones have replaced, and imports that nobody went on with. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { findStaleImport, removeImport, removeReplaced, staleSince } from './store-advisories.ts'

const BATCH = 1_000

export const sweepAdvisories = job<null>({
  kind: 'sweep_advisories',
  every: '1d',
  queue: 'security',
  run: async ({ hearth, signal }) => {
    for (let after: number | null = 0; after !== null && !signal.aborted; ) {
      const from: number = after
      after = await writeAs(hearth, null, (tx) => removeReplaced(tx, from, BATCH))
    }
    for (;;) {
      const stale = findStaleImport(hearth.db, staleSince(hearth.clock.now()))
      if (stale === null || signal.aborted) return
      while (await writeAs(hearth, null, (tx) => removeImport(tx, stale, BATCH)))
        signal.throwIfAborted()
    }
  },
})
