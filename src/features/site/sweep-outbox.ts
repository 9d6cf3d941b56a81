/**
 * Deletes old messages from the outbox. Without a mail server, messages are written to files there.
 */
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { job } from '#core/jobs.ts'
import { namesIn } from '#lib/disk.ts'
import { DAY } from '#lib/time.ts'

const RETENTION_MS = 30 * DAY

export const sweepOutbox = job<null>({
  kind: 'sweep_outbox',
  every: '24h',
  run: ({ hearth }) => {
    const folder = join(hearth.settings.data, 'outbox')
    const before = hearth.clock.now() - RETENTION_MS
    for (const name of namesIn(folder)) {
      const path = join(folder, name)
      if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before)
        rmSync(path, { force: true })
    }
  },
})
