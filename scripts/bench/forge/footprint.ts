/** How much memory an idle forge holds, and which of its parts hold it. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startForge } from '../../support/forge.ts'
import { memoryOf, memoryOfScript, threadsOf, type Memory } from './memory.ts'
import { makeSetting } from './setting.ts'
import { mib, table } from './table.ts'

const combine = (a: Memory, b: Memory, how: (a: number, b: number) => number): Memory => ({
  resident: how(a.resident, b.resident),
  own: how(a.own, b.own),
  code: how(a.code, b.code),
})
const less = (a: Memory, b: Memory): Memory => combine(a, b, (one, other) => one - other)
const times = (a: Memory, factor: number): Memory => combine(a, a, (one) => one * factor)

/** Opens a database as the forge does and reads every table. */
const readAll = (path: string): string => `
  const { Database } = require('bun:sqlite')
  const db = new Database(${JSON.stringify(path)}, { readonly: true })
  db.run('PRAGMA cache_size = -16384')
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'").all()
  for (const { name } of tables) db.query('SELECT count(*) FROM "' + name + '"').get()`

/**
 * The parts are found by leaving them out: what one more worker adds, what the runtime alone holds,
 * what a database adds to it.
 */
export async function footprint(
  executable: string,
  directory: string,
  idle: number,
): Promise<string> {
  const place = join(directory, 'memory')
  const data = join(place, 'data')
  const { forge: filled } = await makeSetting(executable, place)
  await filled.stop()
  const rest = async (seconds: number, environment: Record<string, string> = {}) => {
    const forge = await startForge({ executable, data, log: join(place, 'serve.log'), environment })
    await (await fetch(`${forge.url}/api/readyz`)).text()
    const begun = memoryOf(forge.pid)
    await Bun.sleep(seconds * 1000)
    const rested = { memory: memoryOf(forge.pid), threads: threadsOf(forge.pid) }
    await forge.stop()
    return { begun, ...rested }
  }
  const usual = await rest(idle)
  const one = await rest(5, { HEARTH_GIT_WORKERS: '1' })
  const three = await rest(5, { HEARTH_GIT_WORKERS: '3' })
  const worker = times(less(three.memory, one.memory), 0.5)
  const bun = await memoryOfScript(process.execPath, '')
  const runtime = await memoryOfScript(executable, '')
  const database = await memoryOfScript(executable, readAll(join(data, 'hearth.db')))
  // As `git.workers` is unless it is set.
  const workers = Math.max(1, Math.min(4, availableParallelism()))

  const row = (name: string, { resident, own, code }: Memory): string[] => [
    name,
    mib(resident),
    mib(own),
    mib(code),
  ]
  return `Resident memory in MiB\n${table(
    ['', 'resident', 'of its own', 'mapped code'],
    [
      row('forge, after its first answer', usual.begun),
      row(`forge, ${idle} s idle (${usual.threads} threads)`, usual.memory),
      row('forge with 1 git worker, 5 s idle', one.memory),
      row('forge with 3 git workers, 5 s idle', three.memory),
      row('  so a worker costs', worker),
      row('bun -e, doing nothing', bun),
      row('the executable as bun -e, doing nothing', runtime),
      row('  the same with the database open and read', database),
      row(
        `left for our own code and its data (${workers} workers)`,
        less(less(usual.memory, database), times(worker, workers)),
      ),
    ],
  )}`
}
