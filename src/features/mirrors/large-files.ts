/** Large files of mirrors travel before the refs that name them, so that no checkout fails. */
import type { Hearth } from '#core/hearth.ts'
import {
  askLfsAccess,
  largeFileCopiers,
  requireRepo,
  type CopySource,
  type RepoRow,
} from '#features/repos/index.ts'
import { RemoteError, type FetchResult, type Oid, type PushCommand } from '#git'
import { remoteAccess } from './remote.ts'
import type { MirrorRow } from './store.ts'
import { listMirrorRefs } from './store-refs.ts'
import { visibleRefs } from './sync-options.ts'

function sourceOf(hearth: Hearth, row: MirrorRow, signal: AbortSignal): CopySource {
  const { url, secret, ssh } = remoteAccess(hearth, row)
  return {
    url,
    secret,
    actor_id: row.created_by,
    signal,
    ...(ssh && { askLfsAccess: (operation) => askLfsAccess(hearth, url, ssh, operation) }),
  }
}

/** The commits that refs point at; refs of other objects name no files. */
async function commitsOf(hearth: Hearth, { store }: RepoRow, oids: Iterable<Oid>): Promise<Oid[]> {
  const peeled = await Promise.all(
    [...new Set(oids)].map((oid) => hearth.git.peelToCommit(store, oid)),
  )
  return peeled.filter((oid) => oid !== null)
}

/** Downloads what fetched refs add. Returns what the remote itself does not have. */
export async function downloadLargeFiles(
  hearth: Hearth,
  row: MirrorRow,
  fetched: FetchResult,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [copier] = largeFileCopiers.all(hearth)
  if (!copier) return []
  const repo = requireRepo(hearth.db, row.repo_id)
  const present = new Set(visibleRefs(hearth, repo.id).values())
  const fresh = fetched.refs.flatMap(({ oid }) => (present.has(oid) ? [] : [oid]))
  const tips = await commitsOf(hearth, repo, fresh)
  if (tips.length === 0) return []
  const hide = await commitsOf(hearth, repo, present)
  const source = sourceOf(hearth, row, signal)
  return (await copier.download(hearth, repo, source, { tips, hide })).problems
}

/**
 * Uploads what pushed refs add. Throws RemoteError when the remote does not take a file, so that the
 * refs wait. A remote that offers no large files gets the refs alone.
 */
export async function uploadLargeFiles(
  hearth: Hearth,
  row: MirrorRow,
  commands: readonly PushCommand[],
  signal: AbortSignal,
): Promise<void> {
  const [copier] = largeFileCopiers.all(hearth)
  if (!copier) return
  const repo = requireRepo(hearth.db, row.repo_id)
  const tips = await commitsOf(
    hearth,
    repo,
    commands.flatMap(({ new: to }) => to ?? []),
  )
  if (tips.length === 0) return
  const there = listMirrorRefs(hearth.db, row.id).flatMap(
    ({ remote_oid, pushed_oid }) => pushed_oid ?? remote_oid ?? [],
  )
  const hide = await commitsOf(hearth, repo, there)
  const source = sourceOf(hearth, row, signal)
  const { problems, unsupported } = await copier.upload(hearth, repo, source, { tips, hide })
  if (!unsupported && problems[0] !== undefined) throw new RemoteError('invalid', problems[0])
}
