/** Records of memories, and the right to change them. */
import type { RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { isTypeId } from '#core/ids.ts'
import { loadActors } from '#features/accounts/index.ts'
import { forbidden, notFound } from '#lib/errors.ts'
import { citationsOf } from './citations.ts'
import type { Memory } from './schema.ts'
import { findMemory, type MemoryRow, type Place } from './store.ts'
import { isReviewed, isWaiting } from './trust.ts'

/** Whether the caller belongs to the workspace of the repository. */
export const isMember = (repo: RepoGrant, caller: Caller): boolean =>
  repo.workspace_role !== null || (caller.kind === 'workspace' && caller.id === repo.workspace_id)

/** Throws 403 `role` for somebody from outside. */
export function requireMember(repo: RepoGrant, caller: Caller): void {
  if (!isMember(repo, caller))
    throw forbidden('role', `only members of the workspace ${repo.workspace} may do this`)
}

export const placeOf = (row: MemoryRow): Place =>
  row.repo_id !== null ? { repo_id: row.repo_id } : { workspace_id: row.workspace_id ?? '' }

/** Finds a memory of the repository or of its workspace, as the caller may read it. Throws 404. */
export function requireMemory(
  hearth: Hearth,
  repo: RepoGrant,
  caller: Caller,
  id: string,
): MemoryRow {
  const row = isTypeId(id, 'mem') ? findMemory(hearth.db, id) : null
  const isHere =
    row?.repo_id === repo.id || (row?.workspace_id === repo.workspace_id && isMember(repo, caller))
  if (!row || !isHere) throw notFound(`the memory ${id}`)
  return row
}

export async function memoryRecords(
  hearth: Hearth,
  repo: RepoGrant,
  rows: readonly MemoryRow[],
): Promise<Memory[]> {
  const citations = await citationsOf(hearth, repo, rows)
  const authors = loadActors(
    hearth,
    rows.map(({ author_id }) => author_id),
  )
  return rows.map((row) => ({
    id: row.id,
    scope: row.repo_id === null ? ('workspace' as const) : ('project' as const),
    repo: row.repo_id === null ? null : repo.full_name,
    workspace: repo.workspace,
    kind: row.kind,
    text: row.text,
    pinned: row.pinned === 1,
    paths: citations.get(row.id) ?? [],
    waiting: isWaiting(hearth, repo.workspace_id, row),
    reviewed: isReviewed(row),
    author: authors(row.author_id),
    pull: row.pull_number,
    uses: row.uses,
    last_used_at: row.last_used_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }))
}

export async function memoryRecord(
  hearth: Hearth,
  repo: RepoGrant,
  row: MemoryRow,
): Promise<Memory> {
  const [record] = await memoryRecords(hearth, repo, [row])
  if (!record) throw new TypeError('a memory has a record')
  return record
}
