/**
 * Commits of pull requests that stay whatever becomes of their branches, forks and bases: what was
 * proposed and reviewed can be looked at for good.
 */
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import type { KeptPage } from '#features/repos/index.ts'

const PULLS_AT_ONCE = 250

type Named = {
  readonly id: string
  readonly number: number
  readonly base_sha: Oid
  readonly head_sha: Oid | null
  readonly merge_commit_sha: Oid | null
}

/** Heads, earlier heads, what they are compared with, what they became, and what was reviewed. */
export function keptOfPulls(db: Db, repo_id: string, after: string): KeptPage {
  const pulls = db.all<Named>(
    'SELECT id, number, base_sha, head_sha, merge_commit_sha FROM pulls WHERE repo_id = ? AND number > ? ORDER BY number LIMIT ?',
    repo_id,
    Number(after),
    PULLS_AT_ONCE,
  )
  const reviewed = db.all<{ oid: Oid }>(
    `SELECT sha AS oid FROM pull_heads WHERE pull_id IN (SELECT value FROM json_each(?1))
     UNION SELECT commit_sha FROM reviews WHERE pull_id IN (SELECT value FROM json_each(?1))
     UNION SELECT commit_sha FROM review_drafts WHERE pull_id IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(pulls.map(({ id }) => id)),
  )
  const own = pulls.flatMap(({ base_sha, head_sha, merge_commit_sha }) =>
    [base_sha, head_sha, merge_commit_sha].filter((oid) => oid !== null),
  )
  return {
    oids: [...own, ...reviewed.map(({ oid }) => oid)],
    next: pulls.length < PULLS_AT_ONCE ? null : String(pulls.at(-1)?.number),
  }
}
