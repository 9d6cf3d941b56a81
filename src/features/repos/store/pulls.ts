/**
 * SQL for what code pages show of pull requests. The pulls feature writes it through these
 * functions.
 */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

/** Sets the open pull request whose head is this branch; null when there is none. */
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

/** The open pull requests whose heads are these branches, by the names of the branches. */
export const pullsOfBranches = (
  db: Db,
  repo_id: string,
  branches: readonly string[],
): ReadonlyMap<string, number> =>
  new Map(
    db
      .all<{ branch: string; number: number }>(
        'SELECT branch, number FROM branch_pulls WHERE repo_id = ? AND branch IN (SELECT value FROM json_each(?))',
        repo_id,
        JSON.stringify(branches),
      )
      .map(({ branch, number }) => [branch, number]),
  )

export const findBranchPull = (db: Db, repo_id: string, branch: string): number | null =>
  pullsOfBranches(db, repo_id, [branch]).get(branch) ?? null

/** Records the pull request that merged these commits. The first one to merge a commit is kept. */
export function recordMergedCommits(
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

export type MergedPull = { readonly number: number; readonly session: boolean }

export function pullsOfCommits(
  db: Db,
  repo_id: string,
  commits: readonly string[],
): Map<string, MergedPull> {
  const rows = db.all<{ oid: string; number: number; session: number }>(
    'SELECT oid, number, session FROM commit_pulls WHERE repo_id = ? AND oid IN (SELECT value FROM json_each(?))',
    repo_id,
    JSON.stringify(commits),
  )
  return new Map(rows.map(({ oid, number, session }) => [oid, { number, session: session === 1 }]))
}
