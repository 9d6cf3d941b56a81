import { createMailedLinkFor, resetTwoFactorFromCommandLine } from '#features/accounts/index.ts'
import { DATA_FLAGS, UsageError, type Command } from './command.ts'
import { withHearth } from './open.ts'

export const link: Command = {
  name: 'link',
  summary: `Lets somebody back in, named by username (or, for a link, by address):

  confirm     prints the link that confirms their address, good for 24 hours
  reset       prints the link with which they set a new password, good for one hour
  two-factor  takes their authenticator, passkeys and recovery codes away at once, so that the password is enough;
              be sure that it is them who asked. It is in the audit log, and they are told by mail`,
  brief:
    'Prints the link to confirm an address or reset a password, or takes lost second factors off.',
  args: ['confirm|reset|two-factor', 'USER'],
  flags: DATA_FLAGS,

  run: async ({ args: [kind, username = ''], flags }) => {
    if (kind === 'two-factor') {
      await withHearth(flags, (hearth) => resetTwoFactorFromCommandLine(hearth, username))
      process.stdout.write(
        `two-factor sign-in of ${username} is off: the password is enough until they turn it on again\n`,
      )
      return
    }
    if (kind !== 'confirm' && kind !== 'reset')
      throw new UsageError('hearth link takes confirm, reset or two-factor')
    process.stdout.write(
      `${await withHearth(flags, (hearth) => createMailedLinkFor(hearth, kind, username))}\n`,
    )
  },
}
