/** What code is told about pull requests, by the feature that keeps them. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

/** Says which open pull request a branch is the head of; null when none is any more. */
export function setBranchPull(
  tx: Tx,
  repo_id: string,
  branch: string,
  number: number | null,
): void {
  if (number === null)
    tx.db.run('DELETE FROM branch_pulls WHERE repo_id = ? AND branch = ?', repo_id, branch)
  else {
    tx.db.run(
      `INSERT INTO branch_pulls (repo_id, branch, number) VALUES (?, ?, ?)
       ON CONFLICT (repo_id, branch) DO UPDATE SET number = excluded.number`,
      repo_id,
      branch,
      number,
    )
  }
}

export const findBranchPull = (db: Db, repo_id: string, branch: string): number | null =>
  db.one<{ number: number }>(
    'SELECT number FROM branch_pulls WHERE repo_id = ? AND branch = ?',
    repo_id,
    branch,
  )?.number ?? null

/** Says which pull request commits came with; the first to bring a commit keeps it. */
export function recordLanded(
  tx: Tx,
  repo_id: string,
  commits: readonly string[],
  pull: { number: number; session: boolean },
): void {
  tx.db.run(
    'INSERT INTO commit_pulls (repo_id, oid, number, session) SELECT ?, value, ?, ? FROM json_each(?) WHERE 1 ON CONFLICT DO NOTHING',
    repo_id,
    pull.number,
    Number(pull.session),
    JSON.stringify(commits),
  )
}

export type LandedWith = { readonly number: number; readonly session: boolean }

export function pullsOfCommits(
  db: Db,
  repo_id: string,
  commits: readonly string[],
): Map<string, LandedWith> {
  const rows = db.all<{ oid: string; number: number; session: number }>(
    'SELECT oid, number, session FROM commit_pulls WHERE repo_id = ? AND oid IN (SELECT value FROM json_each(?))',
    repo_id,
    JSON.stringify(commits),
  )
  return new Map(rows.map(({ oid, number, session }) => [oid, { number, session: session === 1 }]))
}
