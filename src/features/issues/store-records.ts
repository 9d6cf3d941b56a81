/**
 * The numbers of a repository: what issues and pull requests have in common, and which pull request
 * is for which issue.
 */
import type { Db } from '#core/db.ts'
import { keepAll, kept } from '#core/look.ts'
import type { Tx } from '#core/write.ts'
import { setOpenCounts } from '#features/repos/index.ts'
import type { LockReason, PullStatus } from './schema.ts'

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
  readonly lock_reason: LockReason | null
  readonly created_at: string
  readonly updated_at: string
}

export const findRecord = (db: Db, repo_id: string, number: number): RecordRow | null =>
  kept(db, 'record', `${repo_id} ${number}`, () =>
    db.one<RecordRow>('SELECT * FROM records WHERE repo_id = ? AND number = ?', repo_id, number),
  )

/** Brings the records of a page into the look that is under way. */
export const keepRecords = (db: Db, repo_id: string, numbers: readonly number[]): void =>
  keepAll(
    db,
    'record',
    numbers.map((number) => `${repo_id} ${number}`),
    () => {
      const rows = db.all<RecordRow>(
        'SELECT * FROM records WHERE repo_id = ? AND number IN (SELECT value FROM json_each(?))',
        repo_id,
        JSON.stringify(numbers),
      )
      return new Map(rows.map((row) => [`${repo_id} ${row.number}`, row]))
    },
    () => null,
  )

/** The same for numbers of many repositories. */
export const keepRecordsOfAll = (
  db: Db,
  places: readonly { readonly repo_id: string; readonly number: number }[],
): void =>
  keepAll(
    db,
    'record',
    places.map(({ repo_id, number }) => `${repo_id} ${number}`),
    () => {
      const rows = db.all<RecordRow>(
        `SELECT r.* FROM json_each(?) p JOIN records r ON r.repo_id = p.value ->> 0 AND r.number = p.value ->> 1`,
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

/** Takes a number into use for an issue or a pull request. It starts open. */
export function insertRecord(tx: Tx, record: NewRecord): void {
  tx.db.run(
    'INSERT INTO records (repo_id, number, kind, title, author_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    record.repo_id,
    record.number,
    record.kind,
    record.title,
    record.author_id,
    tx.now,
    tx.now,
  )
  tellCount(tx, record.repo_id, record.kind)
}

/** The record of the repository shows how much is open. */
function tellCount(tx: Tx, repo_id: string, kind: RecordKind): void {
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
 * Open is an open issue, and a draft or open pull request. Labels and assignments of the record
 * follow by triggers.
 */
export function setRecordOpen(tx: Tx, repo_id: string, number: number, open: boolean): void {
  const changed = tx.db.one<{ kind: RecordKind }>(
    'UPDATE records SET open = ?, updated_at = ? WHERE repo_id = ? AND number = ? RETURNING kind',
    open ? 1 : 0,
    tx.now,
    repo_id,
    number,
  )
  if (changed) tellCount(tx, repo_id, changed.kind)
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
  reason: LockReason | null,
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

/** How many comments an issue or pull request has. */
export const commentsCount = (db: Db, repo_id: string, number: number): number =>
  findRecord(db, repo_id, number)?.comments_count ?? 0

/** How many issues or pull requests are open, without counting them. */
export const countRecords = (db: Db, repo_id: string, kind: RecordKind, open: boolean): number =>
  db.one<{ count: number }>(
    'SELECT count FROM record_counts WHERE repo_id = ? AND kind = ? AND open = ?',
    repo_id,
    kind,
    open ? 1 : 0,
  )?.count ?? 0

/** What an issue shows of a pull request made for it. */
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

/** Says that a pull request was made for an issue. Both must be records already. */
export function linkPull(tx: Tx, link: NewLink): void {
  tx.db.run(
    'INSERT INTO record_links (repo_id, pull_number, issue_number, status, agent, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
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
  /** The username of who merged it. */
  merged_by?: string | null
}

/**
 * Reports a change of a pull request to the issue it is for; it may be for none. A status also says
 * whether the record is open.
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
      'UPDATE record_links SET status = ?, agent = ?, superseded_by = ?, merged_by = ?, updated_at = ? WHERE repo_id = ? AND pull_number = ?',
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
export const listLinks = (db: Db, repo_id: string, issue_numbers: readonly number[]): LinkRow[] =>
  db.all<LinkRow>(
    `SELECT l.issue_number, l.pull_number, l.status, r.title, r.author_id, l.agent, l.superseded_by, l.merged_by, l.created_at, l.updated_at
     FROM record_links l JOIN records r ON r.repo_id = l.repo_id AND r.number = l.pull_number
     WHERE l.repo_id = ? AND l.issue_number IN (SELECT value FROM json_each(?)) ORDER BY l.pull_number DESC`,
    repo_id,
    JSON.stringify(issue_numbers),
  )

/** Each takes its labels, people and links along. */
const RECORDS_AT_ONCE = 40

/**
 * Takes away comments and then records of a repository that is gone, some of them, with all that
 * belongs to them. The youngest comments go first, because a reply may not outlive what it answers.
 */
export const removeRecords = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM comments WHERE id IN (SELECT id FROM comments WHERE repo_id = ? ORDER BY number DESC, id DESC LIMIT ?)',
    repo_id,
    limit,
  ) ||
  tx.db.run(
    'DELETE FROM records WHERE seq IN (SELECT seq FROM records WHERE repo_id = ? LIMIT ?)',
    repo_id,
    RECORDS_AT_ONCE,
  )
