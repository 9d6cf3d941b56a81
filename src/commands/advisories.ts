import { importAdvisories, ImportFault, type ImportProgress } from '#features/security/index.ts'
import { CommandError, DATA_FLAGS, UsageError, type Command } from './command.ts'
import { withHearth } from './open.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

/** Overwrites one line of a terminal; nothing without one. */
const tell = ({ files, advisories }: ImportProgress): void => {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[K${files} files read, ${advisories} new advisories`)
}

/** A signal leaves what is stored, and the next import of the same files goes on with it. */
function stoppable(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.once(name, () =>
      stopping.abort(
        new CommandError(`stopped by ${name}; the same command goes on where it stopped`),
      ),
    )
  return stopping.signal
}

export const advisories: Command = {
  name: 'advisories',
  summary: `Imports known vulnerabilities of packages, so that dependencies are compared with them. A server may run meanwhile.

hearth advisories import PLACE takes files in the format of OSV (https://osv.dev): one .json file, a folder with them,
or a zip archive such as https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip. Nothing is asked of the
network. The advisories count at once when all are read, in place of older ones of the same id. An import that was cut
off goes on where it stopped.`,
  brief: 'Imports known vulnerabilities of packages from files.',
  args: ['import', 'PLACE'],
  flags: DATA_FLAGS,

  run: async ({ args: [action = '', place = ''], flags }) => {
    if (action !== 'import') throw new UsageError('usage: hearth advisories import PLACE')
    const signal = stoppable()
    const result = await withHearth(flags, (hearth) =>
      importAdvisories(hearth, place, tell, signal),
    ).catch((error: unknown) => {
      throw error instanceof ImportFault ? new CommandError(error.message) : error
    })
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    if (result.resumedAt > 0) say(`went on after ${counted(result.resumedAt, 'file', 'files')}`)
    say(
      `read ${counted(result.files, 'file', 'files')}: ${counted(result.advisories, 'advisory is', 'advisories are')} new or changed`,
    )
  },
}
