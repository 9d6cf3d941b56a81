import { loadConfig } from '#src/config.ts'
import { openPlace } from '#backup'
import { refsOf, repoByPath } from '#features/repos/index.ts'
import { exportWorkspace } from '#features/transfer/index.ts'
import { existsSync, readdirSync } from 'node:fs'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'
import { withHearth } from './open.ts'

const never = new AbortController().signal

export const exportRepo: Command = {
  name: 'export',
  summary: `Writes what another program, or another Hearth, can read:

  OWNER/NAME DIR    one repository, as a plain bare git repository
  WORKSPACE PLACE   one workspace, as an archive for hearth import: code, issues, pull requests, reviews, sessions, teams, settings.
                    PLACE is an empty directory or s3://bucket/folder; backups.recipients encrypts it`,
  brief: 'Writes a repository as plain git, or a workspace for another Hearth.',
  args: ['OWNER/NAME|WORKSPACE', 'DIR'],
  flags: DATA_FLAGS,

  run: async ({ args: [path = '', directory = ''], flags }) => {
    if (!path.includes('/')) {
      const config = loadConfig({ data: text(flags.data), config: text(flags.config) })
      const place = openPlace(directory, config.settings(config.listen).backups.s3)
      const { manifest, rows } = await withHearth(flags, (hearth) =>
        exportWorkspace(hearth, path, place, () => {}, never),
      )
      process.stdout.write(
        `wrote ${path} to ${place.address}: ${manifest.totals.repositories} repositories, ${rows.issues ?? 0} issues, ${rows.pulls ?? 0} pull requests, ${rows.comments ?? 0} comments\n`,
      )
      if (manifest.recipients.length > 0)
        process.stdout.write(
          `encrypted to ${manifest.recipients.join(', ')}: hearth import opens it with --identity FILE\n`,
        )
      for (const note of manifest.notes) process.stdout.write(`note: ${note}\n`)
      process.stdout.write(
        'left out: tokens, webhooks, invitations, notifications and the audit log\n',
      )
      return
    }
    if (existsSync(directory) && readdirSync(directory).length > 0)
      throw new CommandError(`${directory} is not empty`)
    await withHearth(flags, async (hearth) => {
      const repo = repoByPath(hearth.db, path)
      if (!repo || repo.deleted_at !== null)
        throw new CommandError(`there is no repository ${path}`)
      await hearth.git.exportBare(repo.store, refsOf(hearth, repo.id), directory)
    })
    process.stdout.write(`wrote ${path} to ${directory}\n`)
  },
}
