/** What processes that ended left behind in `tmp`. */
import { takeLock } from '#core/db.ts'
import { isAlive } from '#lib/process.ts'
import { DAY } from '#lib/time.ts'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { note, some, type Check } from './finding.ts'

/** Made anew, or held, by whoever serves. */
const STANDING = /^(git|blobs|bucket|control\.json|serve\.lock.*|backup\.lock.*)$/

export const leftovers: Check = {
  name: 'leftovers',
  ofCopies: false,
  run({ hearth }) {
    const tmp = join(hearth.settings.data, 'tmp')
    if (!existsSync(tmp)) return []
    const serving = takeLock(join(tmp, 'serve.lock'))
    serving?.()
    const backing = takeLock(join(tmp, 'backup.lock'))
    backing?.()
    const old = readdirSync(tmp).filter((name) => {
      if (STANDING.test(name)) return false
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
        `tmp: ${old.length} left behind by processes that ended: ${some(old)}`,
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
