/** The tables `plans` and `plan_starts`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { PlanIssue, PlanStatus } from './schema.ts'

export type PlanRow = {
  readonly id: string
  readonly repo_id: string
  readonly brief: string
  readonly status: PlanStatus
  readonly summary: string | null
  /** JSON: `PlanIssue[]`. */
  readonly issues: string
  /** JSON: `string[]`. */
  readonly questions: string
  readonly error_code: string | null
  readonly error_message: string | null
  /** Millionths of a dollar. */
  readonly cost: number | null
  readonly by_model: 0 | 1
  readonly created_by: string
  readonly applied_by: string | null
  readonly created_at: Timestamp
  readonly ready_at: Timestamp | null
  readonly applied_at: Timestamp | null
}

export const findPlan = (db: Db, id: string): PlanRow | null =>
  db.one<PlanRow>('SELECT * FROM plans WHERE id = ?', id)

/** Newest first. */
export const listPlanRows = (
  db: Db,
  { repo_id, status }: { repo_id: string; status?: PlanStatus },
  window: { limit: number; offset: number },
): PlanRow[] =>
  db.all<PlanRow>(
    `SELECT * FROM plans WHERE repo_id = ?1 ${status === undefined ? '' : 'AND status = ?4'}
     ORDER BY id DESC LIMIT ?2 OFFSET ?3`,
    repo_id,
    window.limit,
    window.offset,
    ...(status === undefined ? [] : [status]),
  )

export const countOpenPlans = (db: Db, repo_id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM plans
     WHERE repo_id = ? AND status IN ('planning', 'ready', 'failed')`,
    repo_id,
  )?.count ?? 0

type NewPlan = Pick<
  PlanRow,
  'id' | 'repo_id' | 'brief' | 'status' | 'issues' | 'created_by' | 'ready_at'
>

export const insertPlan = (tx: Tx, row: NewPlan): void =>
  void tx.db.run(
    `INSERT INTO plans (id, repo_id, brief, status, issues, created_by, ready_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.brief,
    row.status,
    row.issues,
    row.created_by,
    row.ready_at,
    tx.now,
  )

export const setPlanIssues = (tx: Tx, id: string, issues: readonly PlanIssue[]): void =>
  void tx.db.run('UPDATE plans SET issues = ? WHERE id = ?', JSON.stringify(issues), id)

/** The result of a model; nothing when the plan was deleted meanwhile. */
export const setPlanMade = (
  tx: Tx,
  id: string,
  made: {
    readonly summary: string
    readonly issues: readonly PlanIssue[]
    readonly questions: readonly string[]
  },
): void =>
  void tx.db.run(
    `UPDATE plans SET status = 'ready', by_model = 1, summary = ?, issues = ?, questions = ?,
       ready_at = ? WHERE id = ? AND status = 'planning'`,
    made.summary,
    JSON.stringify(made.issues),
    JSON.stringify(made.questions),
    tx.now,
    id,
  )

/** Adds what a call of the model for a plan has cost, in millionths of a dollar. */
export const addPlanCost = (tx: Tx, id: string, cost: number): void =>
  void tx.db.run('UPDATE plans SET cost = coalesce(cost, 0) + ? WHERE id = ?', cost, id)

export const setPlanFailed = (
  tx: Tx,
  id: string,
  failure: { readonly code: string; readonly message: string },
): void =>
  void tx.db.run(
    `UPDATE plans SET status = 'failed', error_code = ?, error_message = ?
     WHERE id = ? AND status = 'planning'`,
    failure.code,
    failure.message,
    id,
  )

/** Open issues, newest first. */
export const listOpenTitles = (
  db: Db,
  repo_id: string,
  limit: number,
): { number: number; title: string }[] =>
  db.all<{ number: number; title: string }>(
    `SELECT number, title FROM records WHERE repo_id = ? AND kind = 'issue' AND open = 1
     ORDER BY number DESC LIMIT ?`,
    repo_id,
    limit,
  )

export const setPlanApplied = (
  tx: Tx,
  id: string,
  issues: readonly PlanIssue[],
  applied_by: string,
): void =>
  void tx.db.run(
    `UPDATE plans SET status = 'applied', issues = ?, applied_by = ?, applied_at = ? WHERE id = ?`,
    JSON.stringify(issues),
    applied_by,
    tx.now,
    id,
  )

export const removePlan = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM plans WHERE id = ?', id)

export const removePlansOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM plans WHERE id IN (SELECT id FROM plans WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

export type PlanStartRow = {
  readonly repo_id: string
  readonly number: number
  readonly plan_id: string
  readonly asked_by: string
  readonly token_id: string | null
}

export const insertPlanStart = (tx: Tx, row: PlanStartRow): void =>
  void tx.db.run(
    `INSERT INTO plan_starts (repo_id, number, plan_id, asked_by, token_id)
     VALUES (?, ?, ?, ?, ?)`,
    row.repo_id,
    row.number,
    row.plan_id,
    row.asked_by,
    row.token_id,
  )

export const removePlanStart = (tx: Tx, repo_id: string, number: number): void =>
  void tx.db.run('DELETE FROM plan_starts WHERE repo_id = ? AND number = ?', repo_id, number)

/** Those of a repository whose issue is open and waits for no open issue. */
export const listPlanStartsDue = (db: Db, repo_id: string): PlanStartRow[] =>
  db.all<PlanStartRow>(
    `SELECT s.* FROM plan_starts s
     JOIN records r ON r.repo_id = s.repo_id AND r.number = s.number AND r.open = 1
     WHERE s.repo_id = ? AND NOT EXISTS (
       SELECT 1 FROM blockers b
       JOIN records o ON o.repo_id = b.repo_id AND o.number = b.blocked_by AND o.open = 1
       WHERE b.repo_id = s.repo_id AND b.number = s.number)
     ORDER BY s.number`,
    repo_id,
  )

export const hasPlanStarts = (db: Db, repo_id: string): boolean =>
  db.one('SELECT 1 FROM plan_starts WHERE repo_id = ? LIMIT 1', repo_id) !== null
