/**
 * Commits of pull requests that garbage collection must retain. What was proposed and reviewed
 * stays readable after its branches and forks are gone.
 */
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import type { RetainedPage } from '#features/repos/index.ts'

const PULLS_PER_PAGE = 250

type NamedCommits = {
  readonly id: string
  readonly number: number
  readonly base_sha: Oid
  readonly head_sha: Oid | null
  readonly merge_commit_sha: Oid | null
}

/**
 * Present and earlier heads, the commits they are compared with, merge commits, and reviewed
 * commits.
 */
export function retainedCommitsOfPulls(db: Db, repo_id: string, after: string): RetainedPage {
  const pulls = db.all<NamedCommits>(
    `SELECT id, number, base_sha, head_sha, merge_commit_sha FROM pulls WHERE repo_id = ?
      AND number > ? ORDER BY number LIMIT ?`,
    repo_id,
    Number(after),
    PULLS_PER_PAGE,
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
    next: pulls.length < PULLS_PER_PAGE ? null : String(pulls.at(-1)?.number),
  }
}
