/**
 * Deletes old messages from the outbox. Without a mail server, messages are written to files there,
 * notifications included, so their number is bounded too.
 */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { job } from '#core/jobs.ts'
import { namesIn } from '#lib/disk.ts'
import { DAY } from '#lib/time.ts'

const RETENTION_MS = 30 * DAY
const MAX_MESSAGES = 10_000

export const sweepOutbox = job<null>({
  kind: 'sweep_outbox',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const folder = join(hearth.settings.data, 'outbox')
    const before = hearth.clock.now() - RETENTION_MS
    // Names begin with the time of the message, so the oldest come first.
    const names = namesIn(folder).sort()
    for (const [at, name] of names.entries()) {
      if (signal.aborted) return
      const path = join(folder, name)
      const isSurplus = at < names.length - MAX_MESSAGES
      if (!isSurplus && (await modifiedMs(path)) >= before) continue
      await rm(path, { force: true })
    }
  },
})

/** The time of the last change; 0 for a file that is gone. */
async function modifiedMs(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0
}
