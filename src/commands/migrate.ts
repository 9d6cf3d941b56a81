import { layout, openSound } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { rehearse, type Rehearsal } from '#src/rehearse.ts'
import { bringUpToDate } from '#src/upgrade.ts'
import { createLog } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { existsSync } from 'node:fs'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'

const MAX_LISTED_FAULTS = 10

const time = (ms: number): string =>
  ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
const size = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`

function report({ steps, copyMs, checkMs, bytesBefore, bytesAfter, faults }: Rehearsal): string {
  const width = Math.max(...steps.map(({ name }) => name.length))
  const all = steps.reduce((sum, { ms }) => sum + ms, 0)
  const found =
    faults.length === 0
      ? 'every page and every reference of it is sound'
      : `${faults.length} faults were found in it:`
  return [
    `tried on a copy, which took ${time(copyMs)} to make and is gone again; the database itself was not changed`,
    ...steps.map(({ name, ms }) => `would run ${name.padEnd(width)}  ${time(ms)}`),
    `the upgrade would take ${time(all)} and the copy before it about ${time(copyMs)}; the database would be ${size(bytesAfter)}, a copy of it as it is has ${size(bytesBefore)}`,
    `looking at the result took ${time(checkMs)}: ${found}`,
    ...faults.slice(0, MAX_LISTED_FAULTS).map((fault) => `  ${fault}`),
    '',
  ].join('\n')
}

export const migrate: Command = {
  name: 'migrate',
  summary:
    'Brings the database to the schema of this executable, as serve does at its start, after a copy of it was made in backups/upgrades.',
  args: [],
  flags: {
    ...DATA_FLAGS,
    'dry-run': {
      help: 'Does it on a copy and tells how long it takes and how it ends; changes nothing, and may run while an older Hearth serves.',
    },
    scratch: { value: 'DIR', help: 'Where --dry-run makes its copy (tmp in the data directory).' },
  },

  run: async ({ flags }) => {
    const config = loadConfig({ data: text(flags.data), config: text(flags.config) })
    const paths = layout(config.data)
    if (!existsSync(paths.database))
      throw new CommandError(`there is no database at ${paths.database}`)
    if (flags['dry-run']) {
      const rehearsal = rehearse(paths, text(flags.scratch) ?? paths.tmp, systemClock)
      process.stdout.write(rehearsal.steps.length === 0 ? 'nothing to do\n' : report(rehearsal))
      return rehearsal.faults.length === 0 ? 0 : 1
    }
    const database = openSound(paths.database)
    try {
      const names = bringUpToDate(database, paths, {
        log: createLog({ level: 'warn', json: false }),
        clock: systemClock,
        beside: true,
      }).map((name) => `ran ${name}`)
      process.stdout.write(names.length === 0 ? 'nothing to do\n' : `${names.join('\n')}\n`)
    } finally {
      database.close()
    }
    return 0
  },
}
