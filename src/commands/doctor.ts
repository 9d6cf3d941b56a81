import { layout } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { findBrokenLink } from '#core/audit.ts'
import { faultsOf, openDatabase } from '#core/db.ts'
import { pendingMigrations } from '#core/migrate.ts'
import type { Hearth } from '#core/hearth.ts'
import { listStores, listTipsOfStore } from '#features/repos/index.ts'
import { existsSync } from 'node:fs'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'
import { withHearth } from './open.ts'

type Check = { readonly name: string; run(hearth: Hearth): readonly string[] | Promise<readonly string[]> }

const CHECKS: readonly Check[] = [
  { name: 'database', run: ({ database }) => faultsOf(database) },
  {
    name: 'audit log',
    run: ({ db }) => {
      const broken = findBrokenLink(db)
      return broken === null ? [] : [`the chain is broken at ${broken}: an entry before it was changed or taken out`]
    },
  },
  {
    name: 'git stores',
    run: async ({ db, git }) => {
      const faults: string[] = []
      for (const store of listStores(db)) {
        const found = await git.verify(store, listTipsOfStore(db, store)).catch((error: unknown) => [error instanceof Error ? error.message : String(error)])
        faults.push(...found.map((fault) => `${store}: ${fault}`))
      }
      return faults
    },
  },
]

/** Opening a forge brings its database up to date, which a check must not do. */
function requireUpToDate(path: string): void {
  if (!existsSync(path)) return
  const database = openDatabase({ path, readonly: true })
  try {
    const [first] = pendingMigrations(database)
    if (first) throw new CommandError(`the database is older than this executable (${first.name} is missing): run hearth migrate first`)
  } finally {
    database.close()
  }
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks everything that lasts: the database, the audit log, and every git object. Changes nothing.',
  args: [],
  flags: DATA_FLAGS,

  run: async ({ flags }) => {
    requireUpToDate(layout(loadConfig({ data: text(flags['data']), config: text(flags['config']) }).data).database)
    let bad = 0
    await withHearth(flags, async (hearth) => {
      for (const { name, run } of CHECKS) {
        const faults = await run(hearth)
        process.stdout.write(faults.length === 0 ? `${name}: sound\n` : `${name}: ${faults.length === 1 ? '1 fault' : `${faults.length} faults`}\n`)
        for (const fault of faults) process.stdout.write(`  ${fault}\n`)
        bad += faults.length
      }
    })
    return bad === 0 ? 0 : 1
  },
}
