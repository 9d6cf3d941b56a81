/** The table `runners`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

/** Whom a runner serves. Both null: the whole site. */
export type RunnerOwner = {
  readonly workspace_id: string | null
  readonly repo_id: string | null
}

export type RunnerRow = RunnerOwner & {
  readonly id: string
  readonly name: string
  /** JSON arrays. */
  readonly allowed_labels: string
  readonly labels: string
  readonly ephemeral: 0 | 1
  readonly accepts_untrusted: 0 | 1
  readonly registration_hash: string | null
  readonly registration_expires_at: Timestamp | null
  readonly uuid: string | null
  readonly token_hash: string | null
  readonly version: string
  readonly last_seen_at: Timestamp | null
  readonly created_by: string | null
  readonly created_at: Timestamp
}

/** `IS` compares nulls too. */
const OF_OWNER = 'workspace_id IS ?1 AND repo_id IS ?2'

/** Newest first. */
export const listRunnerRows = (
  db: Db,
  { workspace_id, repo_id }: RunnerOwner,
  window: { limit: number; offset: number },
): RunnerRow[] =>
  db.all<RunnerRow>(
    `SELECT * FROM runners WHERE ${OF_OWNER} ORDER BY id DESC LIMIT ?3 OFFSET ?4`,
    workspace_id,
    repo_id,
    window.limit,
    window.offset,
  )

export const countRunners = (db: Db, { workspace_id, repo_id }: RunnerOwner): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM runners WHERE ${OF_OWNER}`,
    workspace_id,
    repo_id,
  )?.count ?? 0

export const findRunner = (db: Db, id: string): RunnerRow | null =>
  db.one<RunnerRow>('SELECT * FROM runners WHERE id = ?', id)

export const findRunnerByUuid = (db: Db, uuid: string): RunnerRow | null =>
  db.one<RunnerRow>('SELECT * FROM runners WHERE uuid = ?', uuid)

export const findRunnerToRegister = (db: Db, registration_hash: string): RunnerRow | null =>
  db.one<RunnerRow>('SELECT * FROM runners WHERE registration_hash = ?', registration_hash)

/** Registered runners that serve a repository. */
export const listRunnersFor = (db: Db, repo_id: string, workspace_id: string): RunnerRow[] =>
  db.all<RunnerRow>(
    `SELECT * FROM runners WHERE uuid IS NOT NULL AND (repo_id = ?1 OR workspace_id = ?2
       OR (repo_id IS NULL AND workspace_id IS NULL))`,
    repo_id,
    workspace_id,
  )

export const hasRegisteredRunner = (db: Db): boolean =>
  db.one('SELECT 1 FROM runners WHERE uuid IS NOT NULL LIMIT 1') !== null

export const insertRunner = (tx: Tx, row: RunnerRow): void =>
  void tx.db.run(
    `INSERT INTO runners (id, workspace_id, repo_id, name, allowed_labels, labels, ephemeral,
       accepts_untrusted, registration_hash, registration_expires_at, uuid, token_hash, version,
       last_seen_at, created_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.repo_id,
    row.name,
    row.allowed_labels,
    row.labels,
    row.ephemeral,
    row.accepts_untrusted,
    row.registration_hash,
    row.registration_expires_at,
    row.uuid,
    row.token_hash,
    row.version,
    row.last_seen_at,
    row.created_by,
    row.created_at,
  )

/** From now on the runner is known by this uuid and token; its registration token is used. */
export const setRegistered = (
  tx: Tx,
  id: string,
  runner: { uuid: string; token_hash: string; ephemeral: 0 | 1 },
): void =>
  void tx.db.run(
    `UPDATE runners SET uuid = ?, token_hash = ?, ephemeral = ?, registration_hash = NULL,
       registration_expires_at = NULL, last_seen_at = ? WHERE id = ?`,
    runner.uuid,
    runner.token_hash,
    runner.ephemeral,
    tx.now,
    id,
  )

/** What a runner says about itself. */
export const setDeclared = (
  tx: Tx,
  id: string,
  { version, labels }: { version: string; labels: readonly string[] },
): void =>
  void tx.db.run(
    'UPDATE runners SET version = ?, labels = ? WHERE id = ?',
    version,
    JSON.stringify(labels),
    id,
  )

export const setLastSeen = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE runners SET last_seen_at = ? WHERE id = ?', tx.now, id)

export const removeRunnerRow = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM runners WHERE id = ?', id)

/** The runners among these that have a job now. */
export const listBusyRunners = (db: Db, ids: readonly string[]): string[] =>
  db
    .all<{ runner_id: string }>(
      `SELECT DISTINCT runner_id FROM workflow_jobs
       WHERE lease_until IS NOT NULL AND runner_id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )
    .map(({ runner_id }) => runner_id)
