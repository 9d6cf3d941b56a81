/** The tables `advisory_forks` and `advisory_fork_refs`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { randomToken } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'

export type ForkRow = {
  readonly id: string
  readonly advisory_id: string
  readonly repo_id: string
  readonly store: string
  readonly base_branch: string
  readonly generation: string
  readonly size_in_bytes: number
  readonly problem: string | null
  readonly merged_branch: string | null
  readonly merged_sha: Oid | null
  readonly merged_by: string | null
  readonly merged_at: Timestamp | null
  readonly created_by: string | null
  readonly created_at: Timestamp
  readonly pushed_at: Timestamp | null
  readonly remove_at: Timestamp | null
}

export type ForkRef = { readonly name: string; readonly oid: Oid; readonly moved_at: Timestamp }

export const findFork = (db: Db, advisory_id: string): ForkRow | null =>
  db.one<ForkRow>('SELECT * FROM advisory_forks WHERE advisory_id = ?', advisory_id)

export const findForkById = (db: Db, id: string): ForkRow | null =>
  db.one<ForkRow>('SELECT * FROM advisory_forks WHERE id = ?', id)

/** The forks of a repository that still take pushes. */
export const listOpenForkIds = (db: Db, repo_id: string): string[] =>
  db
    .all<{ id: string }>(
      'SELECT id FROM advisory_forks WHERE repo_id = ? AND remove_at IS NULL ORDER BY id',
      repo_id,
    )
    .map(({ id }) => id)

export const countOpenForks = (db: Db, repo_id: string): number =>
  db.one<{ n: number }>(
    'SELECT count(*) AS n FROM advisory_forks WHERE repo_id = ? AND remove_at IS NULL',
    repo_id,
  )?.n ?? 0

export const listForksOfRepo = (db: Db, repo_id: string, limit: number): ForkRow[] =>
  db.all<ForkRow>('SELECT * FROM advisory_forks WHERE repo_id = ? LIMIT ?', repo_id, limit)

export const listForksToRemove = (db: Db, now: Timestamp, limit: number): ForkRow[] =>
  db.all<ForkRow>(
    `SELECT * FROM advisory_forks WHERE remove_at IS NOT NULL AND remove_at <= ?
     ORDER BY remove_at LIMIT ?`,
    now,
    limit,
  )

/** In the byte order of their names. */
export const listForkRefs = (db: Db, fork_id: string): ForkRef[] =>
  db.all<ForkRef>(
    'SELECT name, oid, moved_at FROM advisory_fork_refs WHERE fork_id = ? ORDER BY name',
    fork_id,
  )

export const readForkRef = (db: Db, fork_id: string, name: string): Oid | null =>
  db.one<{ oid: Oid }>(
    'SELECT oid FROM advisory_fork_refs WHERE fork_id = ? AND name = ?',
    fork_id,
    name,
  )?.oid ?? null

/** A ref that is a folder of this name, or below it as if it were one. */
export const findBlockingRef = (db: Db, fork_id: string, name: string): string | null =>
  db.one<{ name: string }>(
    `SELECT name FROM advisory_fork_refs WHERE fork_id = ?1
     AND (substr(name, 1, length(?2) + 1) = ?2 || '/' OR substr(?2, 1, length(name) + 1) = name || '/')
     LIMIT 1`,
    fork_id,
    name,
  )?.name ?? null

export const insertFork = (
  tx: Tx,
  row: Pick<ForkRow, 'id' | 'advisory_id' | 'repo_id' | 'base_branch'> & { created_by: string },
): void =>
  void tx.db.run(
    `INSERT INTO advisory_forks (id, advisory_id, repo_id, store, base_branch, generation, created_by,
       created_at) VALUES (?1, ?2, ?3, ?1, ?4, ?5, ?6, ?7)`,
    row.id,
    row.advisory_id,
    row.repo_id,
    row.base_branch,
    randomToken(12),
    row.created_by,
    tx.now,
  )

/** Points a ref at a commit, or deletes it. */
export function setForkRef(tx: Tx, fork_id: string, name: string, oid: Oid | null): void {
  if (oid === null)
    tx.db.run('DELETE FROM advisory_fork_refs WHERE fork_id = ? AND name = ?', fork_id, name)
  else
    tx.db.run(
      `INSERT INTO advisory_fork_refs (fork_id, name, oid, moved_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (fork_id, name) DO UPDATE SET oid = excluded.oid, moved_at = excluded.moved_at`,
      fork_id,
      name,
      oid,
      tx.now,
    )
  tx.db.run('UPDATE advisory_forks SET generation = ? WHERE id = ?', randomToken(12), fork_id)
}

export const addForkSize = (tx: Tx, id: string, bytes: number): void =>
  void tx.db.run(
    'UPDATE advisory_forks SET size_in_bytes = size_in_bytes + ? WHERE id = ?',
    bytes,
    id,
  )

export const setForkPushed = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE advisory_forks SET pushed_at = ? WHERE id = ?', tx.now, id)

export const setForkProblem = (tx: Tx, id: string, problem: string | null): void =>
  void tx.db.run('UPDATE advisory_forks SET problem = ? WHERE id = ?', problem, id)

export const setForkMerged = (
  tx: Tx,
  id: string,
  merged: { branch: string; sha: Oid; by: string },
): void =>
  void tx.db.run(
    'UPDATE advisory_forks SET merged_branch = ?, merged_sha = ?, merged_by = ?, merged_at = ? WHERE id = ?',
    merged.branch,
    merged.sha,
    merged.by,
    tx.now,
    id,
  )

export const setForkClosed = (tx: Tx, advisory_id: string, remove_at: Timestamp): void =>
  void tx.db.run(
    'UPDATE advisory_forks SET remove_at = coalesce(remove_at, ?) WHERE advisory_id = ?',
    remove_at,
    advisory_id,
  )

export const removeForkRow = (tx: Tx, id: string): number =>
  tx.db.run('DELETE FROM advisory_forks WHERE id = ?', id)
