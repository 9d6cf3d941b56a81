import { layout } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { rollBack } from '#src/upgrade.ts'
import { systemClock, timestamp } from '#lib/time.ts'
import { DATA_FLAGS, text, type Command } from './command.ts'

export const rollback: Command = {
  name: 'rollback',
  summary:
    'Takes an upgrade back: puts the copy of the database from before it in the place of one that a newer executable has changed. What was done since is kept in a file beside it; repositories are not touched.',
  brief: 'Takes an upgrade back, with the copy of the database from before it.',
  args: [],
  flags: DATA_FLAGS,

  run: async ({ flags }) => {
    const config = loadConfig({ data: text(flags.data), config: text(flags.config) })
    const { copy, kept } = rollBack(layout(config.data), timestamp(systemClock.now()))
    process.stdout.write(
      `the database is as it was at ${copy.made_at}, before ${copy.schema} was followed by newer migrations\n`,
    )
    process.stdout.write(
      `what was done since is in ${kept}; to go there again, put that file in the place of hearth.db and start the newer executable\n`,
    )
  },
}
