/** Imports a repository that `hearth export OWNER/NAME DIR` wrote. */
import { layout } from '#src/app.ts'
import { findUser, userCaller } from '#features/accounts/index.ts'
import { importExportedRepo } from '#features/imports/index.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, UsageError, type Flags } from './command.ts'
import { withHearth } from './open.ts'
import { say } from './terminal.ts'

export type RepoArchive = {
  readonly git: string
  readonly records: string
  /** Null without a wiki. */
  readonly wiki: string | null
}

const isRecords = (directory: string): boolean => existsSync(join(directory, 'repository.json'))

/** The two directories of an export, named by either; null when it is none of a repository. */
export function findRepoArchive(address: string): RepoArchive | null {
  const plain = trimTrailingSlashes(address)
  const stem = plain.replace(/\.(git|records)$/, '')
  const records = `${stem}.records`
  if (plain !== records && !existsSync(join(plain, 'HEAD'))) return null
  if (!isRecords(records)) return null
  const git = [stem, `${stem}.git`].find((directory) => existsSync(join(directory, 'HEAD')))
  if (git === undefined) throw new CommandError(`there is no bare repository at ${stem}`)
  const wiki = `${stem}.wiki.git`
  return { git, records, wiki: existsSync(join(wiki, 'HEAD')) ? wiki : null }
}

export async function importRepo(
  archive: RepoArchive,
  { owner, as, data, flags }: { owner: string; as: string | null; data: string; flags: Flags },
): Promise<void> {
  const [, workspace = '', name = ''] = /^([^/]+)\/([^/]+)$/.exec(as ?? '') ?? []
  if (name === '') throw new UsageError('a repository needs --as OWNER/NAME, where it is to be')
  const { state, errors } = await withHearth(flags, (hearth) => {
    const user = findUser(hearth.db, owner)
    const caller = user ? userCaller(hearth.db, user.id) : null
    if (!caller) throw new CommandError(`there is no account ${owner} with a confirmed address`)
    return importExportedRepo(
      hearth,
      caller,
      { ...archive, tmp: layout(data).tmp },
      { workspace, name },
      new AbortController().signal,
    )
  })
  say(`took ${workspace}/${name} from ${archive.records}: ${state.replaceAll('_', ' ')}`)
  for (const error of errors) say(`left out: ${error}`)
  say('people who wrote in it stand as imported; say on its page Import whose accounts they are')
}
