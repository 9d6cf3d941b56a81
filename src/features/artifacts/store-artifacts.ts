/** The table `artifacts`. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import type { Artifact } from './schema.ts'

export type ArtifactRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly run_id: string
  readonly attempt: number
  readonly job_key: string
  readonly name: string
  readonly size_in_bytes: number
  readonly sha256: string | null
  readonly created_at: Timestamp
  readonly expires_at: Timestamp
}

export const artifactRecord = (row: ArtifactRow): Artifact => ({
  id: row.id,
  run: row.run_id,
  name: row.name,
  size_in_bytes: row.size_in_bytes,
  digest: row.sha256 === null ? null : `sha256:${row.sha256}`,
  expired: row.sha256 === null,
  created_at: row.created_at,
  expires_at: row.expires_at,
})

export const findArtifact = (db: Db, id: string): ArtifactRow | null =>
  db.one<ArtifactRow>('SELECT * FROM artifacts WHERE id = ?', id)

/** Throws 404 for an artifact of another repository. */
export function requireArtifact(db: Db, repo: Pick<RepoGrant, 'id'>, id: string): ArtifactRow {
  const row = findArtifact(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the artifact ${id}`)
  return row
}

/** Those of a run, of all its attempts, newest first. */
export const listArtifactRows = (
  db: Db,
  run_id: string,
  window: { limit: number; offset: number },
): ArtifactRow[] =>
  db.all<ArtifactRow>(
    'SELECT * FROM artifacts WHERE run_id = ? ORDER BY seq DESC LIMIT ? OFFSET ?',
    run_id,
    window.limit,
    window.offset,
  )

/** What an attempt sees: of each name the newest that has not expired, by name. */
export const listVisibleArtifacts = (
  db: Db,
  run_id: string,
  attempt: number,
  limit: number,
): ArtifactRow[] =>
  db.all<ArtifactRow>(
    `SELECT * FROM artifacts WHERE seq IN (
       SELECT max(seq) FROM artifacts WHERE run_id = ? AND attempt <= ? GROUP BY name)
       AND sha256 IS NOT NULL ORDER BY name LIMIT ?`,
    run_id,
    attempt,
    limit,
  )

export const findArtifactByName = (
  db: Db,
  run_id: string,
  attempt: number,
  name: string,
): ArtifactRow | null =>
  db.one<ArtifactRow>(
    'SELECT * FROM artifacts WHERE run_id = ? AND attempt = ? AND name = ?',
    run_id,
    attempt,
    name,
  )

export const countArtifacts = (db: Db, run_id: string): number =>
  db.one<{ count: number }>('SELECT count(*) AS count FROM artifacts WHERE run_id = ?', run_id)
    ?.count ?? 0

export function insertArtifact(
  tx: Tx,
  row: Omit<ArtifactRow, 'seq' | 'created_at' | 'expires_at'> & { readonly lifetimeMs: number },
): void {
  tx.db.run(
    `INSERT INTO artifacts (id, repo_id, run_id, attempt, job_key, name, size_in_bytes, sha256,
       created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.run_id,
    row.attempt,
    row.job_key,
    row.name,
    row.size_in_bytes,
    row.sha256,
    tx.now,
    timestamp(tx.now_ms + row.lifetimeMs),
  )
}

export const removeArtifact = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM artifacts WHERE id = ?', id)

/** Lets go of the bytes of artifacts whose time is over. Their rows stay until the run is deleted. */
export const expireArtifacts = (tx: Tx, limit: number): number =>
  tx.db.run(
    `UPDATE artifacts SET sha256 = NULL WHERE seq IN (
       SELECT seq FROM artifacts WHERE expires_at <= ? AND sha256 IS NOT NULL LIMIT ?)`,
    tx.now,
    limit,
  )

/** The largest of a repository whose files are still there. */
export const listLargestArtifacts = (db: Db, repo_id: string, limit: number): ArtifactRow[] =>
  db.all<ArtifactRow>(
    `SELECT * FROM artifacts WHERE repo_id = ? AND sha256 IS NOT NULL
     ORDER BY size_in_bytes DESC, seq DESC LIMIT ?`,
    repo_id,
    limit,
  )

export const holdsArtifactBlob = (db: Db, sha256: string): boolean =>
  db.one('SELECT 1 FROM artifacts WHERE sha256 = ? LIMIT 1', sha256) !== null

export const listArtifactBlobs = (db: Db): string[] =>
  db
    .all<{ sha256: string }>('SELECT DISTINCT sha256 FROM artifacts WHERE sha256 IS NOT NULL')
    .map(({ sha256 }) => sha256)

/** Deletes artifacts of a purged repository. The blob sweep deletes their files. */
export const removeArtifactsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM artifacts WHERE seq IN (SELECT seq FROM artifacts WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )
