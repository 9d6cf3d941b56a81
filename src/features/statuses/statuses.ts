/** Commit statuses as records and as answers to those who go by them. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { actorOf } from '#features/accounts/index.ts'
import type { CommitContext } from '#features/repos/index.ts'
import type { CommitStatus } from './schema.ts'
import { listLatest, type StatusRow } from './store.ts'

export const statusRecord = (hearth: Hearth, row: StatusRow): CommitStatus => ({
  id: row.id, sha: row.sha, state: row.state, context: row.context, description: row.description, target_url: row.target_url,
  creator: actorOf(hearth, row.creator_id), created_at: row.created_at,
})

/** The answer to the point `commitContexts`. */
export function contextsOf(db: Db, repo_id: string, sha: Oid): CommitContext[] {
  const latest = listLatest(db, repo_id, sha)
  if (latest.length === 0) return []
  const trusted = new Map(listLatest(db, repo_id, sha, { agents: false }).map(({ context, state }) => [context, state]))
  return latest.map(({ context, state }) => ({ context, state, trusted: trusted.get(context) ?? null }))
}
