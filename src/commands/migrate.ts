import { layout, openSound } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { bringUpToDate, requireKnown } from '#src/upgrade.ts'
import { createLog } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { existsSync } from 'node:fs'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Brings the database to the schema of this executable, as serve does at its start, after a copy of it was made in backups/upgrades.',
  args: [],
  flags: { ...DATA_FLAGS, 'dry-run': { help: 'Only names what would be done.' } },

  run: async ({ flags }) => {
    const config = loadConfig({ data: text(flags['data']), config: text(flags['config']) })
    const path = layout(config.data).database
    if (!existsSync(path)) throw new CommandError(`there is no database at ${path}`)
    const database = openSound(path)
    try {
      const names = flags['dry-run']
        ? requireKnown(database, layout(config.data)).map(({ name }) => `would run ${name}`)
        : bringUpToDate(database, layout(config.data), { log: createLog({ level: 'warn', json: false }), clock: systemClock, beside: true }).map((name) => `ran ${name}`)
      process.stdout.write(names.length === 0 ? 'nothing to do\n' : `${names.join('\n')}\n`)
    } finally {
      database.close()
    }
  },
}
