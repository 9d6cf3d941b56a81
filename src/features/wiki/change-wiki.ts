/**
 * Moves the wiki to a new commit, for edits and pushes. The objects are on disk. One transaction
 * moves the head and appends the event.
 */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import {
  addSize,
  enqueueMaintenance,
  requireLive,
  scanPush,
  type CommitRange,
} from '#features/repos/index.ts'
import type { FileDiff, Oid } from '#git'
import { conflict } from '#lib/errors.ts'
import { wikiUpdated } from './events.ts'
import { slugOfPath, titleOfSlug } from './names.ts'
import { findWiki, setWiki } from './store.ts'

const MAX_NAMED_PAGES = 100

export type PageChange = {
  readonly slug: string
  readonly title: string
  readonly action: 'created' | 'edited' | 'deleted'
}

export type WikiMove = {
  readonly branch: string
  readonly old: Oid | null
  readonly new: Oid
  readonly pages: readonly PageChange[]
  /** A range of commits that a job has to scan for tokens; null when it was scanned. */
  readonly scan: CommitRange | null
  /** Bytes of the pack that was pushed. */
  readonly bytes: number
}

const change = (path: string, action: PageChange['action']): PageChange[] => {
  const slug = slugOfPath(path)
  return slug === null ? [] : [{ slug, title: titleOfSlug(slug), action }]
}

const changesOf = ({ path, old_path, status }: FileDiff): PageChange[] => {
  if (status === 'added' || status === 'copied') return change(path, 'created')
  if (status === 'removed') return change(path, 'deleted')
  if (status !== 'renamed' || old_path === null) return change(path, 'edited')
  return [...change(old_path, 'deleted'), ...change(path, 'created')]
}

/** The pages that differ between two commits. */
export async function listPageChanges(
  { git }: Pick<Hearth, 'git'>,
  store: string,
  from: Oid | null,
  to: Oid,
): Promise<PageChange[]> {
  const { files } = await git.diff(store, from, to, { hunks: false })
  return files.flatMap(changesOf).slice(0, MAX_NAMED_PAGES)
}

/** Throws 409 `head_moved` when the wiki has changed since it was read. */
export function moveWiki(tx: Tx, repo: RepoGrant, move: WikiMove): void {
  const row = requireLive(tx.db, repo.id)
  if ((findWiki(tx.db, repo.id)?.commit_sha ?? null) !== move.old)
    throw conflict('head_moved', 'the wiki has changed meanwhile: read it again and repeat')
  setWiki(tx, repo.id, move.branch, move.new)
  if (move.bytes > 0) addSize(tx, repo.id, move.bytes)
  if (move.scan) tx.enqueue(scanPush, { repo_id: repo.id, ...move.scan })
  enqueueMaintenance(tx, row.store)
  tx.append(
    wikiUpdated,
    { workspace_id: row.workspace_id, repo_id: row.id },
    { commit: move.new, pages: [...move.pages] },
  )
}
