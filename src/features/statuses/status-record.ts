/** Commit statuses as records and as check contexts. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { actorOf } from '#features/accounts/index.ts'
import type { CommitContext } from '#features/repos/index.ts'
import type { CommitStatus } from './schema.ts'
import { listLatestOfAll, type StatusRow } from './store.ts'

export const statusRecord = (hearth: Hearth, row: StatusRow): CommitStatus => ({
  id: row.id,
  sha: row.sha,
  state: row.state,
  context: row.context,
  description: row.description,
  target_url: row.target_url,
  creator: actorOf(hearth, row.creator_id),
  created_at: row.created_at,
})

/** The implementation of `commitContexts`. */
export function contextsOf(
  db: Db,
  repo_id: string,
  shas: readonly Oid[],
): Map<Oid, CommitContext[]> {
  const latest = listLatestOfAll(db, repo_id, shas)
  if (latest.length === 0) return new Map()
  const trusted = new Map(
    listLatestOfAll(db, repo_id, shas, { agents: false }).map(({ sha, context, state }) => [
      `${sha} ${context}`,
      state,
    ]),
  )
  const contexts = new Map<Oid, CommitContext[]>()
  for (const { sha, context, state } of latest) {
    const known = contexts.get(sha) ?? []
    known.push({ context, state, trusted: trusted.get(`${sha} ${context}`) ?? null })
    contexts.set(sha, known)
  }
  return contexts
}
