import { importAdvisories, ImportFault, type ImportProgress } from '#features/security/index.ts'
import { CommandError, DATA_FLAGS, UsageError, type Command } from './command.ts'
import { withHearth } from './open.ts'
import { counted, progressLine, say, stoppable } from './terminal.ts'

const progressText = ({ files, advisories }: ImportProgress): string =>
  `${files} files read, ${advisories} new advisories`

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
    // What is stored stays, and the next import of the same files goes on with it.
    const signal = stoppable('; the same command goes on where it stopped')
    const { tell, end } = progressLine(progressText)
    const result = await withHearth(flags, (hearth) =>
      importAdvisories(hearth, place, tell, signal),
    ).catch((error: unknown) => {
      throw error instanceof ImportFault ? new CommandError(error.message) : error
    })
    end()
    if (result.resumedAt > 0) say(`went on after ${counted(result.resumedAt, 'file')}`)
    say(
      `read ${counted(result.files, 'file')}: ${counted(result.advisories, 'advisory is', 'advisories are')} new or changed`,
    )
  },
}
