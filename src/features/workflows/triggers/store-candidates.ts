/** The table `workflow_candidates`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'

export type CandidateRow = {
  readonly entry_id: string
  readonly repo_id: string
  readonly sha: Oid
  readonly base_sha: Oid
  readonly base_ref: string
  readonly pull: number
  readonly actor_id: string
  readonly planned: 0 | 1
}

export const findCandidate = (db: Db, entry_id: string): CandidateRow | null =>
  db.one<CandidateRow>('SELECT * FROM workflow_candidates WHERE entry_id = ?', entry_id)

export const listCandidatesOfCommit = (db: Db, repo_id: string, sha: Oid): CandidateRow[] =>
  db.all<CandidateRow>(
    'SELECT * FROM workflow_candidates WHERE repo_id = ? AND sha = ?',
    repo_id,
    sha,
  )

export const putCandidate = (tx: Tx, row: Omit<CandidateRow, 'planned'>): void =>
  void tx.db.run(
    `INSERT OR REPLACE INTO workflow_candidates
       (entry_id, repo_id, sha, base_sha, base_ref, pull, actor_id) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.entry_id,
    row.repo_id,
    row.sha,
    row.base_sha,
    row.base_ref,
    row.pull,
    row.actor_id,
  )

export const setPlanned = (tx: Tx, entry_id: string): void =>
  void tx.db.run('UPDATE workflow_candidates SET planned = 1 WHERE entry_id = ?', entry_id)

export const removeCandidate = (tx: Tx, entry_id: string): void =>
  void tx.db.run('DELETE FROM workflow_candidates WHERE entry_id = ?', entry_id)
