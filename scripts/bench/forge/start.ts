/** How long a person waits for a forge that was just started. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startForge } from '../../support/forge.ts'
import { table, whole } from './table.ts'
import { median } from './wrk.ts'

/**
 * From the start of the process to its line, and to the whole of its first answer; over nothing and
 * over existing data.
 */
export async function startTimes(
  executable: string,
  directory: string,
  times: number,
): Promise<string> {
  const rows: string[][] = []
  for (const [name, fresh] of [
    ['an empty directory', true],
    ['a directory with data', false],
  ] as const) {
    const announced: number[] = []
    const answered: number[] = []
    for (let at = 0; at < times; at++) {
      const place = join(directory, fresh ? `fresh-${at}` : 'fresh-0')
      mkdirSync(place, { recursive: true })
      const began = performance.now()
      const forge = await startForge({
        executable,
        data: join(place, 'data'),
        log: join(place, 'serve.log'),
      })
      const response = await fetch(`${forge.url}/api/readyz`)
      if (response.status !== 200) throw new Error(`the first answer was ${response.status}`)
      await response.text()
      answered.push(performance.now() - began)
      announced.push(forge.announced)
      await forge.stop()
    }
    rows.push([
      name,
      whole(median(announced)),
      whole(median(answered)),
      whole(Math.max(...answered)),
    ])
  }
  return `Time from the start of the process, in milliseconds (${times} starts each)\n${table(['with', 'listening', 'first answer', 'most'], rows)}`
}
