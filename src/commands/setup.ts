import { createFirstAccount } from '#features/workspaces/index.ts'
import { DATA_FLAGS, text, UsageError, type Command } from './command.ts'
import { withHearth } from './open.ts'

export const setup: Command = {
  name: 'setup',
  summary:
    'Makes the first account without a browser and prints the link with which its owner sets the password.',
  args: [],
  flags: {
    ...DATA_FLAGS,
    username: { value: 'NAME', help: 'The username of the administrator.' },
    email: { value: 'ADDRESS', help: 'Their address; it counts as confirmed.' },
    workspace: { value: 'SLUG', help: 'A first workspace (the username).' },
  },

  run: async ({ flags }) => {
    const username = text(flags.username)
    const email = text(flags.email)
    if (!username || !email)
      throw new UsageError('hearth setup needs --username NAME and --email ADDRESS')
    const link = await withHearth(
      flags,
      (hearth) =>
        createFirstAccount(hearth, {
          username,
          email,
          workspace: text(flags.workspace) ?? username,
        }),
      { create: true },
    )
    process.stdout.write(`${link}\n`)
  },
}
