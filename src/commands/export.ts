import { refsOf, repoByPath } from '#features/repos/index.ts'
import { existsSync, readdirSync } from 'node:fs'
import { CommandError, DATA_FLAGS, type Command } from './command.ts'
import { withHearth } from './open.ts'

export const exportRepo: Command = {
  name: 'export',
  summary: 'Writes a repository as a plain bare git repository.',
  args: ['OWNER/NAME', 'DIR'],
  flags: DATA_FLAGS,

  run: async ({ args: [path = '', directory = ''], flags }) => {
    if (existsSync(directory) && readdirSync(directory).length > 0) throw new CommandError(`${directory} is not empty`)
    await withHearth(flags, async (hearth) => {
      const repo = repoByPath(hearth.db, path)
      if (!repo || repo.deleted_at !== null) throw new CommandError(`there is no repository ${path}`)
      await hearth.git.exportBare(repo.store, refsOf(hearth.db, repo.id), directory)
    })
    process.stdout.write(`wrote ${path} to ${directory}\n`)
  },
}
