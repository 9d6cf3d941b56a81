import { readsRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Sha, Time, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { MINUTE, timestamp } from '#lib/time.ts'
import { ARCHIVE_FORMATS, archiveToken } from './archive-token.ts'
import { listLargeFiles } from './list-large-files.ts'
import { resolveCommit } from '../refs/resolve-commit.ts'
import { Ref } from '../schema.ts'
import type { RepoRow } from '../store/repos.ts'

const LINK_LIFETIME_MS = 10 * MINUTE
/** A tree with more entries for each file is listed no further: it counts as too large. */
const MAX_ENTRIES_PER_FILE = 4

/** Throws 422 when the tree exceeds the archive limits of the settings. */
async function requireWithinArchiveLimits(
  hearth: Hearth,
  repo: Pick<RepoRow, 'id' | 'parent_id' | 'store'>,
  commit: string,
): Promise<void> {
  const { git, settings } = hearth
  const { store } = repo
  const { max_files, max_bytes } = settings.archives
  const tooLarge = (what: string) =>
    invalid(
      'ref',
      `an archive of this would be over ${what}: clone the repository instead, with --depth 1 for the files alone`,
    )
  if (max_files === null && max_bytes === null) return
  if (max_files !== null) {
    const limit = MAX_ENTRIES_PER_FILE * max_files + 1
    const entries = (await git.listTree(store, commit, '', { recursive: true, limit })) ?? []
    const files = entries.filter(({ type }) => type === 'file' || type === 'symlink')
    if (files.length > max_files || entries.length === limit) throw tooLarge(`${max_files} files`)
  }
  if (max_bytes === null) return
  const sized = (await git.listTree(store, commit, '', { recursive: true, sizes: true })) ?? []
  const large = new Map(
    (await listLargeFiles(hearth, repo, commit)).map(({ blob, size }) => [blob, size]),
  )
  // A large file counts at each of its paths.
  if (sized.reduce((sum, { oid, size }) => sum + (large.get(oid) ?? size ?? 0), 0) > max_bytes)
    throw tooLarge(`${max_bytes / 1_000_000} MB`)
}

export const getArchiveLink = operation({
  name: 'get_archive_link',
  summary:
    'Get a link to a zip or tar.gz file of a branch, tag or commit; of the default branch when ref is left out. The link needs no token and works for 10 minutes.',
  keywords: ['download zip', 'source as zip', 'zipball', 'tarball', 'download a repository'],
  route: ['GET /repos/{owner}/{name}/zipball/{ref}', 'GET /repos/{owner}/{name}/zipball'],
  tool: true,
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Type.Optional(Ref),
    format: Type.Optional(OneOf(ARCHIVE_FORMATS, { description: 'zip unless given.' })),
  }),
  output: Type.Object(
    { url: Type.String(), commit: Sha, expires_at: Time },
    { $id: 'ArchiveLink' },
  ),
  redirect: ({ url }) => url,

  handler: async ({ hearth, repo, now_ms }, { ref = 'HEAD', format = 'zip' }) => {
    const commit = await resolveCommit(hearth, repo, ref)
    await requireWithinArchiveLimits(hearth, repo, commit)
    const folder = `${repo.workspace}-${repo.name}-${commit.slice(0, 7)}`
    const expires = now_ms + LINK_LIFETIME_MS
    const token = archiveToken(hearth, { repo_id: repo.id, commit, folder, expires })
    return {
      url: `${hearth.settings.site_url}/_archive/${token}/${folder}.${format}`,
      commit,
      expires_at: timestamp(expires),
    }
  },
})
