/**
 * Rows of issues. An issue is a record (number, title, author, state) and the columns that only
 * issues have.
 */
import type { Db } from '#core/db.ts'
import { memo } from '#core/read-scope.ts'
import { reportText } from '#core/texts.ts'
import type { Tx } from '#core/write.ts'
import type { CloseReason } from './schema.ts'
import { insertRecord, setRecordOpen, touchRecord, type RecordRow } from './store-records.ts'

export type IssueRow = RecordRow & {
  readonly id: string
  readonly body: string
  readonly checks: readonly string[]
  readonly reason: CloseReason | null
  readonly resolved_by: number | null
  readonly closed_at: string | null
  readonly closed_by: string | null
}

type StoredIssue = Omit<IssueRow, 'checks'> & { checks: string }

const SELECT = `SELECT r.*, i.id, i.body, i.checks, i.reason, i.resolved_by, i.closed_at, i.closed_by
  FROM records r JOIN issues i ON i.repo_id = r.repo_id AND i.number = r.number`

const parse = (row: StoredIssue): IssueRow => ({
  ...row,
  checks: JSON.parse(row.checks) as string[],
})

export const findIssue = (db: Db, repo_id: string, number: number): IssueRow | null =>
  memo(db, 'issue', `${repo_id} ${number}`, () => {
    const row = db.one<StoredIssue>(
      `${SELECT} WHERE r.repo_id = ? AND r.number = ?`,
      repo_id,
      number,
    )
    return row && parse(row)
  })

/** Issues by number, in the order of the given numbers. */
export function issuesByNumber(db: Db, repo_id: string, numbers: readonly number[]): IssueRow[] {
  const rows = db.all<StoredIssue>(
    `${SELECT} WHERE r.repo_id = ? AND r.number IN (SELECT value FROM json_each(?))`,
    repo_id,
    JSON.stringify(numbers),
  )
  const byNumber = new Map(rows.map((row) => [row.number, parse(row)]))
  return numbers.flatMap((number) => byNumber.get(number) ?? [])
}

export type NewIssue = {
  id: string
  repo_id: string
  number: number
  title: string
  body: string
  checks: readonly string[]
  author_id: string
}

export function insertIssue(tx: Tx, issue: NewIssue): void {
  insertRecord(tx, {
    repo_id: issue.repo_id,
    number: issue.number,
    kind: 'issue',
    title: issue.title,
    author_id: issue.author_id,
  })
  tx.db.run(
    'INSERT INTO issues (id, repo_id, number, body, checks) VALUES (?, ?, ?, ?, ?)',
    issue.id,
    issue.repo_id,
    issue.number,
    issue.body,
    JSON.stringify(issue.checks),
  )
  indexText(tx, issue.repo_id, issue.number, issue.body)
  reportText(tx, issue.id, issue.body)
}

export function setIssueText(
  tx: Tx,
  repo_id: string,
  number: number,
  text: { title: string; body: string },
): void {
  tx.db.run(
    'UPDATE records SET title = ?, updated_at = ? WHERE repo_id = ? AND number = ?',
    text.title,
    tx.now,
    repo_id,
    number,
  )
  tx.db.run(
    'UPDATE issues SET body = ? WHERE repo_id = ? AND number = ?',
    text.body,
    repo_id,
    number,
  )
  indexText(tx, repo_id, number, text.body)
  const issue = tx.db.one<{ id: string }>(
    'SELECT id FROM issues WHERE repo_id = ? AND number = ?',
    repo_id,
    number,
  )
  if (issue) reportText(tx, issue.id, text.body)
}

export function setIssueChecks(
  tx: Tx,
  repo_id: string,
  number: number,
  checks: readonly string[],
): void {
  tx.db.run(
    'UPDATE issues SET checks = ? WHERE repo_id = ? AND number = ?',
    JSON.stringify(checks),
    repo_id,
    number,
  )
  touchRecord(tx, repo_id, number)
}

export function setIssueClosed(
  tx: Tx,
  repo_id: string,
  number: number,
  closed: { reason: CloseReason; resolved_by: number | null; closed_by: string | null },
): void {
  tx.db.run(
    `UPDATE issues SET reason = ?, resolved_by = ?, closed_at = ?, closed_by = ?
      WHERE repo_id = ? AND number = ?`,
    closed.reason,
    closed.resolved_by,
    tx.now,
    closed.closed_by,
    repo_id,
    number,
  )
  setRecordOpen(tx, repo_id, number, false)
}

/**
 * Changes the reason of a closed issue. Time and person stay, but a merge no longer counts as its
 * cause.
 */
export function setIssueReason(tx: Tx, repo_id: string, number: number, reason: CloseReason): void {
  tx.db.run(
    'UPDATE issues SET reason = ?, resolved_by = NULL WHERE repo_id = ? AND number = ?',
    reason,
    repo_id,
    number,
  )
  touchRecord(tx, repo_id, number)
}

export function setIssueReopened(tx: Tx, repo_id: string, number: number): void {
  tx.db.run(
    `UPDATE issues SET reason = NULL, resolved_by = NULL, closed_at = NULL, closed_by = NULL
      WHERE repo_id = ? AND number = ?`,
    repo_id,
    number,
  )
  setRecordOpen(tx, repo_id, number, true)
}

/** The term for a repository in the text index. */
export const repoTerm = (repo_id: string): string => repo_id.slice(repo_id.lastIndexOf('_') + 1)

/** Inserts or replaces the title and body of an issue or pull request in the text index. */
export function indexText(tx: Tx, repo_id: string, number: number, body: string): void {
  tx.db.run(
    `INSERT OR REPLACE INTO record_fts (rowid, repo, title, body)
     SELECT seq, ?, title, ? FROM records WHERE repo_id = ? AND number = ?`,
    repoTerm(repo_id),
    body,
    repo_id,
    number,
  )
}

/** The issues that block each of these. */
export const listBlockers = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): { number: number; blocked_by: number }[] =>
  db.all(
    `SELECT number, blocked_by FROM blockers WHERE repo_id = ? AND number IN (SELECT value
      FROM json_each(?)) ORDER BY number, blocked_by`,
    repo_id,
    JSON.stringify(numbers),
  )

export function setBlockers(
  tx: Tx,
  repo_id: string,
  number: number,
  blocked_by: readonly number[],
): void {
  tx.db.run('DELETE FROM blockers WHERE repo_id = ? AND number = ?', repo_id, number)
  for (const blocker of blocked_by)
    tx.db.run(
      'INSERT INTO blockers (repo_id, number, blocked_by) VALUES (?, ?, ?)',
      repo_id,
      number,
      blocker,
    )
}

/** Whether `target` blocks `number`, directly or through other issues. */
export const isBlockedBy = (db: Db, repo_id: string, number: number, target: number): boolean =>
  db.one(
    `WITH RECURSIVE before (number) AS (
       SELECT ?2 UNION SELECT b.blocked_by FROM blockers b JOIN before ON b.repo_id = ?1
         AND b.number = before.number
     ) SELECT 1 FROM before WHERE number = ?3`,
    repo_id,
    number,
    target,
  ) !== null

/** The beginnings of descriptions of issues of any repositories. */
export const listIssueBodies = (
  db: Db,
  places: readonly { readonly repo_id: string; readonly number: number }[],
  length: number,
): { repo_id: string; number: number; body: string }[] =>
  db.all(
    `SELECT i.repo_id, i.number, substr(i.body, 1, ?) AS body
     FROM json_each(?) w JOIN issues i ON i.repo_id = w.value ->> 0 AND i.number = w.value ->> 1`,
    length,
    JSON.stringify(places.map(({ repo_id, number }) => [repo_id, number])),
  )
