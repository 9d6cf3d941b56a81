/** The shared rows of issues and pull requests, and which pull request is for which issue. */
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import { setOpenCounts } from '#features/repos/index.ts'
import type { PullStatus } from './schema.ts'

export type RecordKind = 'issue' | 'pull'

export type RecordRow = {
  readonly seq: number
  readonly repo_id: string
  readonly number: number
  readonly kind: RecordKind
  readonly open: 0 | 1
  readonly title: string
  readonly author_id: string
  readonly milestone_id: string | null
  readonly comments_count: number
  readonly locked: 0 | 1
  readonly lock_reason: string | null
  readonly created_at: string
  readonly updated_at: string
}

export const findRecord = (db: Db, repo_id: string, number: number): RecordRow | null =>
  memo(db, 'record', `${repo_id} ${number}`, () =>
    db.one<RecordRow>('SELECT * FROM records WHERE repo_id = ? AND number = ?', repo_id, number),
  )

/** Preloads records of several repositories into the current read scope. */
export const preloadRecords = (
  db: Db,
  places: readonly { readonly repo_id: string; readonly number: number }[],
): void =>
  preload(
    db,
    'record',
    places.map(({ repo_id, number }) => `${repo_id} ${number}`),
    () => {
      const rows = db.all<RecordRow>(
        `SELECT r.* FROM json_each(?) p JOIN records r ON r.repo_id = p.value ->> 0
          AND r.number = p.value ->> 1`,
        JSON.stringify(places.map(({ repo_id, number }) => [repo_id, number])),
      )
      return new Map(rows.map((row) => [`${row.repo_id} ${row.number}`, row]))
    },
    () => null,
  )

export type NewRecord = {
  repo_id: string
  /** From `takeNumber`, in the same transaction. */
  number: number
  kind: RecordKind
  title: string
  author_id: string
}

/** Inserts the record of an issue or a pull request. It starts open. */
export function insertRecord(tx: Tx, record: NewRecord): void {
  tx.db.run(
    `INSERT INTO records (repo_id, number, kind, title, author_id, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    record.repo_id,
    record.number,
    record.kind,
    record.title,
    record.author_id,
    tx.now,
    tx.now,
  )
  updateOpenCounts(tx, record.repo_id, record.kind)
}

/** Updates the counts of open records on the repository. */
function updateOpenCounts(tx: Tx, repo_id: string, kind: RecordKind): void {
  const open = countRecords(tx.db, repo_id, kind, true)
  setOpenCounts(tx, repo_id, kind === 'issue' ? { issues: open } : { pulls: open })
}

export function setRecordTitle(tx: Tx, repo_id: string, number: number, title: string): void {
  tx.db.run(
    'UPDATE records SET title = ?, updated_at = ? WHERE repo_id = ? AND number = ?',
    title,
    tx.now,
    repo_id,
    number,
  )
}

/**
 * Sets whether a record is open: an open issue, a draft or an open pull request. Triggers update
 * its labels and assignments.
 */
export function setRecordOpen(tx: Tx, repo_id: string, number: number, open: boolean): void {
  const changed = tx.db.one<{ kind: RecordKind }>(
    'UPDATE records SET open = ?, updated_at = ? WHERE repo_id = ? AND number = ? RETURNING kind',
    open ? 1 : 0,
    tx.now,
    repo_id,
    number,
  )
  if (changed) updateOpenCounts(tx, repo_id, changed.kind)
}

export function touchRecord(tx: Tx, repo_id: string, number: number): void {
  tx.db.run(
    'UPDATE records SET updated_at = ? WHERE repo_id = ? AND number = ?',
    tx.now,
    repo_id,
    number,
  )
}

export function setRecordMilestone(
  tx: Tx,
  repo_id: string,
  number: number,
  milestone_id: string | null,
): void {
  tx.db.run(
    'UPDATE records SET milestone_id = ? WHERE repo_id = ? AND number = ?',
    milestone_id,
    repo_id,
    number,
  )
}

export function setRecordLock(
  tx: Tx,
  repo_id: string,
  number: number,
  locked: boolean,
  reason: string | null,
): void {
  tx.db.run(
    'UPDATE records SET locked = ?, lock_reason = ?, updated_at = ? WHERE repo_id = ? AND number = ?',
    locked ? 1 : 0,
    locked ? reason : null,
    tx.now,
    repo_id,
    number,
  )
}

/** The number of comments of each of several records, by number. */
export const commentCounts = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): Map<number, number> =>
  new Map(
    db
      .all<Pick<RecordRow, 'number' | 'comments_count'>>(
        `SELECT number, comments_count FROM records
         WHERE repo_id = ? AND number IN (SELECT value FROM json_each(?))`,
        repo_id,
        JSON.stringify(numbers),
      )
      .map(({ number, comments_count }) => [number, comments_count]),
  )

/** The number of open or closed issues or pull requests, from a stored count. */
export const countRecords = (db: Db, repo_id: string, kind: RecordKind, open: boolean): number =>
  db.one<{ count: number }>(
    'SELECT count FROM record_counts WHERE repo_id = ? AND kind = ? AND open = ?',
    repo_id,
    kind,
    open ? 1 : 0,
  )?.count ?? 0

/** A pull request in the record of its issue. */
export type LinkRow = {
  readonly issue_number: number
  readonly pull_number: number
  readonly status: PullStatus
  readonly title: string
  readonly author_id: string
  readonly agent: string | null
  readonly superseded_by: number | null
  readonly merged_by: string | null
  readonly created_at: string
  readonly updated_at: string
}

export type NewLink = {
  repo_id: string
  issue_number: number
  pull_number: number
  status: PullStatus
  agent: string | null
}

/** Links a pull request to its issue. Both must have records. */
export function linkPull(tx: Tx, link: NewLink): void {
  tx.db.run(
    `INSERT INTO record_links (repo_id, pull_number, issue_number, status, agent, created_at,
      updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    link.repo_id,
    link.pull_number,
    link.issue_number,
    link.status,
    link.agent,
    tx.now,
    tx.now,
  )
}

export type LinkChange = {
  status?: PullStatus
  agent?: string | null
  /** The merged pull request that closed this one. */
  superseded_by?: number | null
  /** The username of the person who merged it. */
  merged_by?: string | null
}

/**
 * Updates the link of a pull request to its issue, if it has one. A status also sets whether the
 * record is open.
 */
export function updateLink(tx: Tx, repo_id: string, pull_number: number, change: LinkChange): void {
  const old = tx.db.one<{
    status: PullStatus
    agent: string | null
    superseded_by: number | null
    merged_by: string | null
  }>(
    'SELECT status, agent, superseded_by, merged_by FROM record_links WHERE repo_id = ? AND pull_number = ?',
    repo_id,
    pull_number,
  )
  if (old) {
    const { status, agent, superseded_by, merged_by } = { ...old, ...change }
    tx.db.run(
      `UPDATE record_links
        SET status = ?, agent = ?, superseded_by = ?, merged_by = ?, updated_at = ?
        WHERE repo_id = ? AND pull_number = ?`,
      status,
      agent,
      superseded_by,
      merged_by,
      tx.now,
      repo_id,
      pull_number,
    )
  }
  if (change.status)
    setRecordOpen(tx, repo_id, pull_number, change.status === 'draft' || change.status === 'open')
}

/** The pull requests made for some issues, newest first. */
export function listLinks(
  db: Db,
  repo_id: string,
  issue_numbers: readonly number[],
): readonly LinkRow[] {
  const numbers = JSON.stringify(issue_numbers)
  return memo(db, 'links', `${repo_id} ${numbers}`, () =>
    db.all<LinkRow>(
      `SELECT l.issue_number, l.pull_number, l.status, r.title, r.author_id, l.agent,
         l.superseded_by, l.merged_by, l.created_at, l.updated_at
       FROM record_links l JOIN records r ON r.repo_id = l.repo_id AND r.number = l.pull_number
       WHERE l.repo_id = ? AND l.issue_number IN (SELECT value FROM json_each(?))
       ORDER BY l.pull_number DESC`,
      repo_id,
      numbers,
    ),
  )
}

/** Deleting a record cascades to its labels, assignees and links. */
const RECORDS_PER_BATCH = 40

/**
 * Removes one batch of comments, then of records, of a purged repository. The newest comments go
 * first, because a reply must not outlive its parent.
 */
export const removeRecords = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM comments WHERE id IN (SELECT id FROM comments WHERE repo_id = ?
      ORDER BY number DESC, id DESC LIMIT ?)`,
    repo_id,
    limit,
  ) ||
  tx.db.run(
    'DELETE FROM records WHERE seq IN (SELECT seq FROM records WHERE repo_id = ? LIMIT ?)',
    repo_id,
    RECORDS_PER_BATCH,
  )
