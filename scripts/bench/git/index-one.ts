/**
 * Takes a pack in as a push would, with two workers, and leaves its index: `bun index-one.ts <pack>
 * <idx> <times before>`. Says how long the last time took; those before it warm the threads up,
 * which in a server run all day.
 */
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveSettings } from '../../../src/git/settings.ts'
import { makeStore, storeDirectory } from '../../../src/git/store/store-files.ts'
import type { IngestResult } from '../../../src/git/tasks/ingest.ts'
import { ThreadPool } from '../../../src/git/tasks/thread-pool.ts'

const [pack = '', index = '', before = '0'] = process.argv.slice(2)
const root = mkdtempSync(join(tmpdir(), 'hearth-index-'))
try {
  const { workers, engine } = resolveSettings({
    root,
    tmp: root,
    workers: 2,
  })
  const threads = new ThreadPool({ ...engine, tmp: root }, workers, (message) =>
    process.stderr.write(`${message}\n`),
  )
  const take = async (store: string): Promise<string> => {
    makeStore(storeDirectory(root, store))
    const handle = threads.start<IngestResult>(
      'ingest',
      { store, tips: new Uint8Array(0), targets: [], pack: true },
      (_, taken) => taken(),
    )
    const size = Bun.file(pack).size
    for (let at = 0; at < size; at += 1 << 20)
      await handle.input(
        new Uint8Array(
          await Bun.file(pack)
            .slice(at, at + (1 << 20))
            .arrayBuffer(),
        ),
      )
    await handle.input(null)
    const { pack: name } = await handle.result
    const packs = join(storeDirectory(root, store), 'objects', 'pack')
    if (name === null || !readdirSync(packs).includes(`${name}.idx`))
      throw new Error('the pack was not taken')
    return join(packs, `${name}.idx`)
  }
  for (let time = 0; time < Number(before); time++) await take(`before-${time}`)
  const [began, used] = [performance.now(), process.cpuUsage()]
  const made = await take('store')
  const { user, system } = process.cpuUsage(used)
  process.stdout.write(
    JSON.stringify({ wall: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 }),
  )
  await threads.close()
  copyFileSync(made, index)
} finally {
  rmSync(root, { recursive: true, force: true })
}
