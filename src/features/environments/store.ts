/** The tables `environments`, `deployments` and `deployment_reviews`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { Timestamp } from '#lib/time.ts'
import type { DeploymentState, Verdict } from './schema.ts'

export type EnvironmentRow = {
  readonly id: string
  readonly repo_id: string
  readonly name: string
  /** JSON arrays. */
  readonly reviewers: string
  readonly wait_minutes: number
  readonly branches: string
  readonly prevent_self_review: 0 | 1
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export const findEnvironment = (db: Db, repo_id: string, name: string): EnvironmentRow | null =>
  db.one<EnvironmentRow>('SELECT * FROM environments WHERE repo_id = ? AND name = ?', repo_id, name)

export const findEnvironmentById = (db: Db, id: string): EnvironmentRow | null =>
  db.one<EnvironmentRow>('SELECT * FROM environments WHERE id = ?', id)

/** By name. */
export const listEnvironmentRows = (db: Db, repo_id: string): EnvironmentRow[] =>
  db.all<EnvironmentRow>('SELECT * FROM environments WHERE repo_id = ? ORDER BY name', repo_id)

export const countEnvironments = (db: Db, repo_id: string): number =>
  db.one<{ count: number }>('SELECT count(*) AS count FROM environments WHERE repo_id = ?', repo_id)
    ?.count ?? 0

/** How many deployments each environment of a repository had. */
export const countDeployments = (db: Db, repo_id: string): Map<string, number> =>
  new Map(
    db
      .all<{ id: string; count: number }>(
        `SELECT e.id, (SELECT count(*) FROM deployments d WHERE d.environment_id = e.id) AS count
         FROM environments e WHERE e.repo_id = ?`,
        repo_id,
      )
      .map(({ id, count }) => [id, count]),
  )

export const insertEnvironment = (tx: Tx, row: EnvironmentRow): void =>
  void tx.db.run(
    `INSERT INTO environments (id, repo_id, name, reviewers, wait_minutes, branches,
       prevent_self_review, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.name,
    row.reviewers,
    row.wait_minutes,
    row.branches,
    row.prevent_self_review,
    row.created_at,
    row.updated_at,
  )

export const setEnvironmentRow = (tx: Tx, row: EnvironmentRow): void =>
  void tx.db.run(
    `UPDATE environments SET reviewers = ?, wait_minutes = ?, branches = ?,
       prevent_self_review = ?, updated_at = ? WHERE id = ?`,
    row.reviewers,
    row.wait_minutes,
    row.branches,
    row.prevent_self_review,
    row.updated_at,
    row.id,
  )

export const removeEnvironment = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM environments WHERE id = ?', id)

export type DeploymentRow = {
  readonly id: string
  readonly repo_id: string
  readonly environment_id: string | null
  readonly environment: string
  readonly run_id: string
  readonly job_id: string
  readonly job: string
  readonly ref: string
  readonly sha: Oid
  readonly state: DeploymentState
  readonly is_open: 0 | 1
  readonly reason: string | null
  readonly creator_id: string | null
  readonly url: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export const findDeployment = (db: Db, id: string): DeploymentRow | null =>
  db.one<DeploymentRow>('SELECT * FROM deployments WHERE id = ?', id)

/** The deployment of a job that has not ended. */
export const findOpenDeployment = (db: Db, job_id: string): DeploymentRow | null =>
  db.one<DeploymentRow>('SELECT * FROM deployments WHERE job_id = ? AND is_open = 1', job_id)

export type DeploymentFilter = {
  readonly repo_id: string
  readonly environment?: string | undefined
  readonly state?: DeploymentState | undefined
  readonly sha?: string | undefined
  readonly run_id?: string | undefined
}

/** Newest first. */
export function listDeploymentRows(
  db: Db,
  filter: DeploymentFilter,
  window: { limit: number; offset: number },
): DeploymentRow[] {
  const where = ['repo_id = ?']
  const params: (string | number)[] = [filter.repo_id]
  const add = (column: string, value: string | undefined) => {
    if (value === undefined) return
    where.push(`${column} = ?`)
    params.push(value)
  }
  add('environment', filter.environment)
  add('state', filter.state)
  add('sha', filter.sha)
  add('run_id', filter.run_id)
  return db.all<DeploymentRow>(
    `SELECT * FROM deployments WHERE ${where.join(' AND ')} ORDER BY id DESC LIMIT ? OFFSET ?`,
    ...params,
    window.limit,
    window.offset,
  )
}

/** Deployments that wait, of one environment. */
export const listWaitingOf = (db: Db, environment_id: string): DeploymentRow[] =>
  db.all<DeploymentRow>(
    `SELECT * FROM deployments WHERE environment_id = ? AND state = 'waiting' ORDER BY id`,
    environment_id,
  )

/** Up to `limit` deployments that wait since before a time. */
export const listWaitingBefore = (db: Db, before: Timestamp, limit: number): DeploymentRow[] =>
  db.all<DeploymentRow>(
    `SELECT * FROM deployments WHERE state = 'waiting' AND created_at < ? ORDER BY created_at
     LIMIT ?`,
    before,
    limit,
  )

export const insertDeployment = (tx: Tx, row: DeploymentRow): void =>
  void tx.db.run(
    `INSERT INTO deployments (id, repo_id, environment_id, environment, run_id, job_id, job, ref,
       sha, state, is_open, reason, creator_id, url, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.environment_id,
    row.environment,
    row.run_id,
    row.job_id,
    row.job,
    row.ref,
    row.sha,
    row.state,
    row.is_open,
    row.reason,
    row.creator_id,
    row.url,
    row.created_at,
    row.updated_at,
  )

export const setDeploymentState = (
  tx: Tx,
  id: string,
  state: DeploymentState,
  reason: string | null = null,
): void =>
  void tx.db.run(
    'UPDATE deployments SET state = ?, reason = coalesce(?, reason), updated_at = ? WHERE id = ?',
    state,
    reason,
    tx.now,
    id,
  )

/** Ends a deployment together with its job. */
export const closeDeployment = (
  tx: Tx,
  id: string,
  state: DeploymentState,
  url: string | null,
): void =>
  void tx.db.run(
    'UPDATE deployments SET state = ?, is_open = 0, url = ?, updated_at = ? WHERE id = ?',
    state,
    url,
    tx.now,
    id,
  )

/** A new success takes the place of earlier ones in its environment. */
export const deactivateEarlier = (tx: Tx, { repo_id, environment, id }: DeploymentRow): void =>
  void tx.db.run(
    `UPDATE deployments SET state = 'inactive', updated_at = ?
     WHERE repo_id = ? AND environment = ? AND id <> ? AND state = 'success'`,
    tx.now,
    repo_id,
    environment,
    id,
  )

export type ReviewRow = {
  readonly deployment_id: string
  readonly user_id: string
  readonly verdict: Verdict
  readonly comment: string | null
  readonly created_at: Timestamp
}

/** In the order in which they were made. */
export const listReviewRows = (db: Db, deployment_ids: readonly string[]): ReviewRow[] =>
  db.all<ReviewRow>(
    `SELECT * FROM deployment_reviews
     WHERE deployment_id IN (SELECT value FROM json_each(?)) ORDER BY created_at, user_id`,
    JSON.stringify(deployment_ids),
  )

export const insertReview = (tx: Tx, row: ReviewRow): void =>
  void tx.db.run(
    `INSERT INTO deployment_reviews (deployment_id, user_id, verdict, comment, created_at)
     VALUES (?, ?, ?, ?, ?)`,
    row.deployment_id,
    row.user_id,
    row.verdict,
    row.comment,
    row.created_at,
  )

/** Up to `limit` ended deployments from before a time. */
export const removeDeploymentsBefore = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM deployments WHERE id IN (SELECT id FROM deployments
       WHERE id < ? AND is_open = 0 AND state <> 'success' ORDER BY id LIMIT ?)`,
    before,
    limit,
  )

export const removeDeploymentsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM deployments WHERE id IN (SELECT id FROM deployments WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

/** Runs with deployments of a repository that wait, the oldest first. */
export const listRunsOfWaiting = (db: Db, repo_id: string): string[] =>
  db
    .all<{ run_id: string }>(
      `SELECT run_id FROM deployments WHERE repo_id = ? AND state = 'waiting' AND is_open = 1 ORDER BY id LIMIT 100`,
      repo_id,
    )
    .map(({ run_id }) => run_id)
