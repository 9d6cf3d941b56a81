/** The table `session_summaries`: one summary of a pull request for each person who asked. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { CheckedAnswer } from './citations.ts'

export type SummaryRow = {
  readonly pull_id: string
  readonly asked_by: string
  readonly repo_id: string
  readonly status: 'summarizing' | 'done' | 'failed'
  readonly last_seq: number
  readonly conversation: string | null
  readonly summary: string | null
  /** JSON: `Citation[]`. */
  readonly citations: string
  readonly dropped: number
  readonly error_code: string | null
  readonly error_message: string | null
  readonly cost: number | null
  readonly created_at: Timestamp
  readonly ended_at: Timestamp | null
}

export type SummaryKey = Pick<SummaryRow, 'pull_id' | 'asked_by'>

export const findSummary = (db: Db, { pull_id, asked_by }: SummaryKey): SummaryRow | null =>
  db.one<SummaryRow>(
    'SELECT * FROM session_summaries WHERE pull_id = ? AND asked_by = ?',
    pull_id,
    asked_by,
  )

export const countSummarizing = (
  db: Db,
  { repo_id, asked_by }: Pick<SummaryRow, 'repo_id' | 'asked_by'>,
): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM session_summaries
     WHERE asked_by = ? AND repo_id = ? AND status = 'summarizing'`,
    asked_by,
    repo_id,
  )?.count ?? 0

/** Begins a summary. It replaces the former one of the person. */
export function beginSummary(
  tx: Tx,
  { pull_id, asked_by }: SummaryKey,
  repo_id: string,
): SummaryRow {
  tx.db.run(
    `INSERT OR REPLACE INTO session_summaries (pull_id, asked_by, repo_id, status, created_at)
     VALUES (?, ?, ?, 'summarizing', ?)`,
    pull_id,
    asked_by,
    repo_id,
    tx.now,
  )
  return {
    pull_id,
    asked_by,
    repo_id,
    status: 'summarizing',
    last_seq: 0,
    conversation: null,
    summary: null,
    citations: '[]',
    dropped: 0,
    error_code: null,
    error_message: null,
    cost: null,
    created_at: tx.now,
    ended_at: null,
  }
}

export const addSummaryCost = (tx: Tx, { pull_id, asked_by }: SummaryKey, cost: number): void =>
  void tx.db.run(
    `UPDATE session_summaries SET cost = coalesce(cost, 0) + ?
     WHERE pull_id = ? AND asked_by = ?`,
    cost,
    pull_id,
    asked_by,
  )

/** What a summary was made of, so that a later reader can tell whether it still holds. */
export type SummaryBasis = Pick<SummaryRow, 'last_seq' | 'conversation'>

export const setSummarized = (
  tx: Tx,
  { pull_id, asked_by }: SummaryKey,
  { last_seq, conversation }: SummaryBasis,
  { answer, citations, dropped }: CheckedAnswer,
): void =>
  void tx.db.run(
    `UPDATE session_summaries SET status = 'done', last_seq = ?, conversation = ?, summary = ?,
     citations = ?, dropped = ?, ended_at = ?
     WHERE pull_id = ? AND asked_by = ? AND status = 'summarizing'`,
    last_seq,
    conversation,
    answer,
    JSON.stringify(citations),
    dropped,
    tx.now,
    pull_id,
    asked_by,
  )

export const setSummaryFailed = (
  tx: Tx,
  { pull_id, asked_by }: SummaryKey,
  error: { code: string; message: string },
): void =>
  void tx.db.run(
    `UPDATE session_summaries SET status = 'failed', error_code = ?, error_message = ?, ended_at = ?
     WHERE pull_id = ? AND asked_by = ? AND status = 'summarizing'`,
    error.code,
    error.message,
    tx.now,
    pull_id,
    asked_by,
  )

export const removeSummariesBefore = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM session_summaries WHERE (pull_id, asked_by) IN (
       SELECT pull_id, asked_by FROM session_summaries WHERE created_at < ? LIMIT ?)`,
    before,
    limit,
  )

export const removeSummariesOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM session_summaries WHERE (pull_id, asked_by) IN (
       SELECT pull_id, asked_by FROM session_summaries WHERE repo_id = ? LIMIT ?)`,
    repo_id,
    limit,
  )
