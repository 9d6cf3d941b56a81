/**
 * A forge in a process of its own that does what its jobs say, for tests that end it in the middle:
 * `bun importing.ts <data directory>`.
 */
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { silentLog } from '#lib/log.ts'
import { START, testSettings } from '../../settings.ts'

const data = process.argv[2] ?? ''
const settings = testSettings(data, { outbound_allow: ['http://127.0.0.1'] })
const hearth = openHearth({
  settings,
  log: silentLog,
  clock: { now: () => START },
  databasePath: join(data, 'hearth.db'),
})
await hearth.jobs.start()
// Until somebody ends it.
setInterval(() => {}, 1 << 30)
