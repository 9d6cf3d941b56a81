import { loadConfig } from '#src/config.ts'
import { localBlob } from '#core/blobs.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { openPlace } from '#backup'
import { listLfsFiles } from '#features/lfs/index.ts'
import { findUser, userCaller } from '#features/accounts/index.ts'
import { listManagers, refsOf, repoByPath, type RepoRow } from '#features/repos/index.ts'
import { exportWorkspace } from '#features/transfer/index.ts'
import { findWikiRefs } from '#features/wiki/index.ts'
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Ref, RefSnapshot } from '#git'
import { exportRecords } from './export-records.ts'
import { CommandError, DATA_FLAGS, text, type Command } from './command.ts'
import { withHearth } from './open.ts'

/** Where git-lfs looks for the files of a bare repository: `lfs/objects/aa/bb/aabb…`. */
async function exportLfsFiles(hearth: Hearth, repo_id: string, directory: string): Promise<number> {
  let files = 0
  for (const oid of listLfsFiles(hearth.db, repo_id)) {
    const from = await localBlob(hearth, oid)
    if (from === null) throw new CommandError(`the file ${oid} of Git LFS is missing`)
    const folder = join(directory, 'lfs', 'objects', oid.slice(0, 2), oid.slice(2, 4))
    mkdirSync(folder, { recursive: true })
    copyFileSync(from, join(folder, oid), constants.COPYFILE_FICLONE)
    files++
  }
  return files
}

/** Somebody who may read everything in a repository. */
function managerOf(hearth: Hearth, { id, workspace_id }: RepoRow): UserCaller {
  const [manager] = listManagers(hearth.db, { repo_id: id, workspace_id }, 1)
  const user = manager && findUser(hearth.db, manager.username)
  const caller = user ? userCaller(hearth.db, user.id) : null
  if (!caller) throw new CommandError('nobody with a confirmed address administers this repository')
  return caller
}

/** The refs of a repository, and the heads of pull requests whose commits are still there. */
async function withHeads(
  hearth: Hearth,
  repo: RepoRow,
  heads: readonly Ref[],
): Promise<RefSnapshot> {
  const own = refsOf(hearth, repo.id)
  const names = new Set(own.refs.map(({ name }) => name))
  const present: Ref[] = []
  for (const head of heads)
    if (!names.has(head.name) && (await hearth.git.peelToCommit(repo.store, head.oid)) !== null)
      present.push(head)
  return { ...own, refs: [...own.refs, ...present].toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

const never = new AbortController().signal

export const exportRepo: Command = {
  name: 'export',
  summary: `Writes what another program, or another Hearth, can read:

  OWNER/NAME DIR    one repository, as a plain bare git repository with its files of Git LFS; its wiki as another one beside it, DIR.wiki.git;
                    its labels, milestones, issues, pull requests, comments, reviews and releases as lines of JSON in DIR.records
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
    const whole = resolve(directory)
    const stem = whole.endsWith('.git') ? whole.slice(0, -4) : whole
    const wikiDirectory = `${stem}.wiki.git`
    const recordsDirectory = `${stem}.records`
    for (const place of [directory, wikiDirectory, recordsDirectory])
      if (existsSync(place) && readdirSync(place).length > 0)
        throw new CommandError(`${place} is not empty`)
    const { hasPages, files, counts } = await withHearth(flags, async (hearth) => {
      const repo = repoByPath(hearth.db, path)
      if (!repo || repo.deleted_at !== null)
        throw new CommandError(`there is no repository ${path}`)
      const { counts, heads } = await exportRecords(
        hearth,
        managerOf(hearth, repo),
        path,
        recordsDirectory,
      )
      const refs = await withHeads(hearth, repo, heads)
      await hearth.git.exportBare(repo.store, refs, directory)
      const wiki = findWikiRefs(hearth.db, repo.id)
      if (wiki) await hearth.git.exportBare(repo.store, wiki, wikiDirectory)
      return {
        hasPages: wiki !== null,
        files: await exportLfsFiles(hearth, repo.id, directory),
        counts,
      }
    })
    process.stdout.write(`wrote ${path} to ${directory}\n`)
    process.stdout.write(
      `wrote ${counts.issues} issues, ${counts.pulls} pull requests and ${counts.releases} releases to ${recordsDirectory}\n`,
    )
    if (files > 0) process.stdout.write(`wrote ${files} files of Git LFS to ${directory}/lfs\n`)
    if (hasPages) process.stdout.write(`wrote its wiki to ${wikiDirectory}\n`)
  },
}
