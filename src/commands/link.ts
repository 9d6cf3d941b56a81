import { linkFor } from '#features/accounts/index.ts'
import { DATA_FLAGS, UsageError, type Command } from './command.ts'
import { withHearth } from './open.ts'

export const link: Command = {
  name: 'link',
  summary: 'Prints the link that would have been mailed: "confirm" an address, or "reset" a password.',
  args: ['confirm|reset', 'USER'],
  flags: DATA_FLAGS,

  run: async ({ args: [kind, username = ''], flags }) => {
    if (kind !== 'confirm' && kind !== 'reset') throw new UsageError('hearth link takes confirm or reset')
    process.stdout.write(`${await withHearth(flags, (hearth) => linkFor(hearth, kind, username))}\n`)
  },
}
