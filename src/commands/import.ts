import { layout } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { openPlace, readIdentities } from '#backup'
import {
  importWorkspace,
  MAX_ROWS_BESIDE_SERVER,
  requireArchive,
} from '#features/transfer/index.ts'
import { takeLock } from '#core/db.ts'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, DATA_FLAGS, text, UsageError, type Command } from './command.ts'
import { say } from './terminal.ts'
import { findRepoArchive, importRepo } from './import-repo.ts'
import { withHearth } from './open.ts'

/** Parses `there=here` pairs, separated by commas. */
function peopleOf(words: string | undefined): Map<string, string> {
  const pairs = (words ?? '')
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair) => /^([^=]+)=([^=]+)$/.exec(pair.trim()))
  return new Map(
    pairs.map((match) => {
      if (!match) throw new UsageError('--people takes there=here, separated by commas')
      return [match[1] ?? '', match[2] ?? '']
    }),
  )
}

export const importArchive: Command = {
  name: 'import',
  summary: `Takes what hearth export wrote:

  PLACE   the archive of a workspace. All of it comes, or nothing. A server may run meanwhile, unless the workspace is very large
  DIR     the directory of a repository, into a forge that is stopped, with DIR.records beside it: its code, labels, milestones, issues, pull requests, comments, reviews
          and releases come as --as OWNER/NAME. One that was cut off goes on when the command is given again

People of a workspace are found by their confirmed addresses, or as --people says. What others wrote stands under their names; they
have no access, and nobody can sign in as them.`,
  brief: 'Takes a workspace or a repository that another Hearth exported.',
  args: ['PLACE|DIR'],
  flags: {
    ...DATA_FLAGS,
    owner: { value: 'USERNAME', help: 'Who is to own it here; of a repository, who imports it.' },
    as: { value: 'NAME', help: 'Another name for it; of a repository, OWNER/NAME.' },
    people: { value: 'LIST', help: 'Usernames there and here: anna=ada,bert=bob.' },
    identity: { value: 'FILE', help: 'The age identity that opens an encrypted archive.' },
  },

  run: async ({ args: [address = ''], flags }) => {
    const owner = text(flags.owner)
    if (!owner) throw new UsageError('hearth import needs --owner USERNAME')
    const people = peopleOf(text(flags.people))
    const config = loadConfig({ data: text(flags.data), config: text(flags.config) })
    const { backups } = config.settings(config.listen)
    const { lock, database } = layout(config.data)
    if (!existsSync(database))
      throw new CommandError(`there is no forge in ${config.data}; name its directory with --data`)
    mkdirSync(join(lock, '..'), { recursive: true, mode: 0o700 })
    const release = takeLock(lock)
    release?.()
    const isServed = release === null
    const repo = findRepoArchive(address)
    // The server would take the same import up.
    if (repo !== null && isServed)
      throw new CommandError(`${config.data} is being served: stop that for the import`)
    if (repo !== null)
      return importRepo(repo, { owner, as: text(flags.as) ?? null, data: config.data, flags })
    const place = openPlace(address, backups.s3)
    const manifest = await requireArchive(place)
    const key = text(flags.identity)
    const { slug, rows, found, nobody } = await withHearth(flags, (hearth) =>
      importWorkspace(
        hearth,
        place,
        manifest,
        {
          as: text(flags.as) ?? null,
          owner,
          people,
          maxRows: isServed ? MAX_ROWS_BESIDE_SERVER : null,
          identities: key === undefined ? [] : readIdentities(readFileSync(key, 'utf8'), key),
        },
        () => {},
        new AbortController().signal,
      ),
    )
    say(
      `took ${slug}: ${manifest.totals.repositories} repositories, ${rows.issues ?? 0} issues, ${rows.pulls ?? 0} pull requests, ${rows.comments ?? 0} comments`,
    )
    for (const [there, here] of found) say(`${there} is ${here} here`)
    for (const [there, here] of nobody)
      say(
        `${there} has no account here, and stands as ${here}; invite them again if they are to have access`,
      )
  },
}
