/** The table `repo_questions`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import { announceChange } from './changes.ts'
import type { Citation } from './schema.ts'

export type QuestionRow = {
  readonly id: string
  readonly repo_id: string
  readonly asked_by: string
  readonly question: string
  readonly status: 'answering' | 'answered' | 'failed'
  readonly answer: string | null
  /** JSON: `Citation[]`. */
  readonly citations: string
  readonly dropped: number
  /** JSON: `string[]`. */
  readonly steps: string
  readonly error_code: string | null
  readonly error_message: string | null
  readonly cost: number | null
  readonly created_at: Timestamp
  readonly answered_at: Timestamp | null
}

export const findQuestion = (db: Db, id: string): QuestionRow | null =>
  db.one<QuestionRow>('SELECT * FROM repo_questions WHERE id = ?', id)

type Asker = Pick<QuestionRow, 'repo_id' | 'asked_by'>

/** Newest first. */
export const listQuestionRows = (
  db: Db,
  { repo_id, asked_by }: Asker,
  window: { readonly limit: number; readonly offset: number },
): QuestionRow[] =>
  db.all<QuestionRow>(
    `SELECT * FROM repo_questions WHERE asked_by = ? AND repo_id = ? ORDER BY id DESC
     LIMIT ? OFFSET ?`,
    asked_by,
    repo_id,
    window.limit,
    window.offset,
  )

export const countQuestions = (db: Db, { repo_id, asked_by }: Asker): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM repo_questions WHERE asked_by = ? AND repo_id = ?',
    asked_by,
    repo_id,
  )?.count ?? 0

export const countAnswering = (db: Db, { repo_id, asked_by }: Asker): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM repo_questions
     WHERE asked_by = ? AND repo_id = ? AND status = 'answering'`,
    asked_by,
    repo_id,
  )?.count ?? 0

export const insertQuestion = (tx: Tx, row: Asker & Pick<QuestionRow, 'id' | 'question'>): void =>
  void tx.db.run(
    `INSERT INTO repo_questions (id, repo_id, asked_by, question, status, created_at)
     VALUES (?, ?, ?, ?, 'answering', ?)`,
    row.id,
    row.repo_id,
    row.asked_by,
    row.question,
    tx.now,
  )

export function setSteps(tx: Tx, id: string, steps: readonly string[]): void {
  tx.db.run('UPDATE repo_questions SET steps = ? WHERE id = ?', JSON.stringify(steps), id)
  announceChange(tx, id)
}

export const addQuestionCost = (tx: Tx, id: string, cost: number): void =>
  void tx.db.run('UPDATE repo_questions SET cost = coalesce(cost, 0) + ? WHERE id = ?', cost, id)

export function setAnswered(
  tx: Tx,
  id: string,
  {
    answer,
    citations,
    dropped,
  }: { answer: string; citations: readonly Citation[]; dropped: number },
): void {
  tx.db.run(
    `UPDATE repo_questions SET status = 'answered', answer = ?, citations = ?, dropped = ?,
     answered_at = ? WHERE id = ? AND status = 'answering'`,
    answer,
    JSON.stringify(citations),
    dropped,
    tx.now,
    id,
  )
  announceChange(tx, id)
}

export function setFailed(tx: Tx, id: string, error: { code: string; message: string }): void {
  tx.db.run(
    `UPDATE repo_questions SET status = 'failed', error_code = ?, error_message = ?,
     answered_at = ? WHERE id = ? AND status = 'answering'`,
    error.code,
    error.message,
    tx.now,
    id,
  )
  announceChange(tx, id)
}

export const removeQuestion = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM repo_questions WHERE id = ?', id)

export const removeQuestionsBefore = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM repo_questions WHERE id IN (
       SELECT id FROM repo_questions WHERE created_at < ? LIMIT ?)`,
    before,
    limit,
  )

export const removeQuestionsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM repo_questions WHERE id IN (
       SELECT id FROM repo_questions WHERE repo_id = ? LIMIT ?)`,
    repo_id,
    limit,
  )
