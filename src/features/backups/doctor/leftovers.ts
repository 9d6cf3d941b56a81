/** Checks for files in `tmp` of processes that have ended. */
import { takeLock } from '#core/db.ts'
import { isAlive } from '#lib/process.ts'
import { DAY } from '#lib/time.ts'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { note, formatSome, type Check } from './finding.ts'

/** Entries that a running forge holds or recreates. */
const CURRENT_ENTRIES =
  /^(git|blobs|bucket|control\.json|bwrap-[0-9a-f]{64}|serve\.lock.*|backup\.lock.*)$/

export const leftovers: Check = {
  name: 'leftovers',
  appliesToCopies: false,
  run({ hearth }) {
    const tmp = join(hearth.settings.data, 'tmp')
    if (!existsSync(tmp)) return []
    const serving = takeLock(join(tmp, 'serve.lock'))
    serving?.()
    const backing = takeLock(join(tmp, 'backup.lock'))
    backing?.()
    const old = readdirSync(tmp).filter((name) => {
      if (CURRENT_ENTRIES.test(name)) return false
      const pid = /^git-(\d+)$/.exec(name)?.[1]
      if (pid !== undefined) return !isAlive(Number(pid))
      if (/^(backup|verify)-bkp_/.test(name)) return backing !== null && serving !== null
      return (
        hearth.clock.now() -
          (statSync(join(tmp, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) >
        DAY
      )
    })
    if (old.length === 0) return []
    return [
      note(
        `tmp: ${old.length} left behind by processes that ended: ${formatSome(old)}`,
        'They take up room; nothing needs them.',
        {
          would: 'delete them',
          run: () => {
            for (const name of old) rmSync(join(tmp, name), { recursive: true, force: true })
            return `deleted ${old.length} from tmp`
          },
        },
      ),
    ]
  },
}
