/**
 * The table `agent_questions`. The session contains the same text for its readers; this row records
 * whether it was answered.
 */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { QuestionState } from './schema.ts'

export type QuestionRow = {
  id: string
  repo_id: string
  pull_id: string
  number: number
  seq: number
  from_id: string
  from_pull: number | null
  text: string
  state: QuestionState
  answer: string | null
  created_at: Timestamp
  expires_at: Timestamp
  answered_at: Timestamp | null
}

export const findQuestion = (db: Db, id: string): QuestionRow | null =>
  db.one<QuestionRow>('SELECT * FROM agent_questions WHERE id = ?', id)

/** The question of a session entry. */
export const findQuestionAt = (db: Db, pull_id: string, seq: number): QuestionRow | null =>
  db.one<QuestionRow>('SELECT * FROM agent_questions WHERE pull_id = ? AND seq = ?', pull_id, seq)

/** The questions to whoever works on a pull request that have no answer. */
export const listWaitingQuestions = (db: Db, pull_id: string): QuestionRow[] =>
  db.all<QuestionRow>(
    `SELECT * FROM agent_questions WHERE pull_id = ? AND state = 'waiting' ORDER BY seq`,
    pull_id,
  )

export const countWaiting = (db: Db, pull_id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM agent_questions WHERE pull_id = ? AND state = 'waiting'`,
    pull_id,
  )?.count ?? 0

export const insertQuestion = (
  tx: Tx,
  row: Omit<QuestionRow, 'state' | 'answer' | 'created_at' | 'answered_at'>,
): void =>
  void tx.db.run(
    `INSERT INTO agent_questions (id, repo_id, pull_id, number, seq, from_id, from_pull, text,
     state, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`,
    row.id,
    row.repo_id,
    row.pull_id,
    row.number,
    row.seq,
    row.from_id,
    row.from_pull,
    row.text,
    tx.now,
    row.expires_at,
  )

/** Records the first answer, if the question has not expired. */
export const setAnswer = (tx: Tx, id: string, answer: string): void =>
  void tx.db.run(
    `UPDATE agent_questions SET state = 'answered', answer = ?, answered_at = ? WHERE id = ?
     AND state = 'waiting' AND expires_at > ?`,
    answer,
    tx.now,
    id,
    tx.now,
  )

export const setExpired = (tx: Tx): void =>
  void tx.db.run(
    `UPDATE agent_questions SET state = 'expired' WHERE state = 'waiting' AND expires_at <= ?`,
    tx.now,
  )
