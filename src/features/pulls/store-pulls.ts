/**
 * The rows of pull requests. Other tables of this feature: store-stats, store-reviews,
 * store-sessions.
 */
import type { Db, SqlValue } from '#core/db.ts'
import { memo } from '#core/read-scope.ts'
import { reportText } from '#core/texts.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { findIssue, indexText, setRecordTitle, touchRecord } from '#features/issues/index.ts'
import { conflict, notFound, Refusal } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'
import type { PullStatus } from './schema.ts'

export type PullRow = {
  readonly id: string
  readonly repo_id: string
  readonly number: number
  readonly title: string
  readonly body: string
  readonly status: PullStatus
  readonly issue: number | null
  readonly branch: string | null
  readonly fork_id: string | null
  readonly base_ref: string
  readonly base_sha: Oid
  readonly head_ref: string | null
  readonly head_sha: Oid | null
  readonly author_id: string
  readonly agent: string | null
  readonly revision: number
  readonly agent_revisions: number
  readonly auto_merge: 0 | 1
  readonly closed_from: 'draft' | 'open' | null
  readonly closed_because: 'asked' | 'branch_deleted' | 'superseded' | null
  readonly closed_by: string | null
  readonly superseded_by: number | null
  readonly merged_by: string | null
  readonly merge_commit_sha: Oid | null
  readonly merge_method: 'merge' | 'squash' | 'rebase' | null
  readonly session_entries: number
  readonly session_last_at: Timestamp | null
  readonly session_cost: number | null
  readonly session_told_seq: number
  readonly session_told_at: number
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  readonly ready_at: Timestamp | null
  readonly merged_at: Timestamp | null
  readonly closed_at: Timestamp | null
}

export const isActive = (pull: Pick<PullRow, 'status'>): boolean =>
  pull.status === 'draft' || pull.status === 'open'

/** Throws 409 for a closed or merged pull request. */
export function requireActive(pull: Pick<PullRow, 'number' | 'status'>): void {
  if (!isActive(pull))
    throw conflict('not_open', `#${pull.number} is ${pull.status}`, { status: pull.status })
}

export const findPull = (db: Db, repo_id: string, number: number): PullRow | null =>
  memo(db, 'pull', `${repo_id} ${number}`, () =>
    db.one<PullRow>('SELECT * FROM pulls WHERE repo_id = ? AND number = ?', repo_id, number),
  )

/** Throws 404; when the number is of an issue, the message names the right operation. */
export function requirePull(db: Db, repo_id: string, number: number): PullRow {
  const pull = findPull(db, repo_id, number)
  if (pull) return pull
  if (findIssue(db, repo_id, number))
    throw new Refusal('not_found', `#${number} is an issue, not a pull request: get_issue shows it`)
  throw notFound(`the pull request #${number}`)
}

export const findPullById = (db: Db, id: string): PullRow | null =>
  db.one<PullRow>('SELECT * FROM pulls WHERE id = ?', id)

/** The pull request that a hidden fork belongs to. */
export const findPullOfFork = (db: Db, fork_id: string): PullRow | null =>
  db.one<PullRow>('SELECT * FROM pulls WHERE fork_id = ?', fork_id)

/** The active pull request for a branch and a base; there is at most one. */
export const findActiveForBranch = (
  db: Db,
  repo_id: string,
  branch: string,
  base_ref: string,
): PullRow | null =>
  db.one<PullRow>(
    'SELECT * FROM pulls WHERE repo_id = ? AND branch = ? AND base_ref = ? AND active = 1',
    repo_id,
    branch,
    base_ref,
  )

export const listActiveByBranch = (db: Db, repo_id: string, branch: string): PullRow[] =>
  db.all<PullRow>(
    'SELECT * FROM pulls WHERE repo_id = ? AND branch = ? AND active = 1 ORDER BY number',
    repo_id,
    branch,
  )

export const listActiveByBase = (db: Db, repo_id: string, base_ref: string): PullRow[] =>
  db.all<PullRow>(
    'SELECT * FROM pulls WHERE repo_id = ? AND base_ref = ? AND active = 1 ORDER BY number DESC',
    repo_id,
    base_ref,
  )

export const listActiveByIssue = (db: Db, repo_id: string, issue: number): PullRow[] =>
  db.all<PullRow>(
    'SELECT * FROM pulls WHERE repo_id = ? AND issue = ? AND active = 1 ORDER BY number',
    repo_id,
    issue,
  )

/** The newest active pull requests of a repository. */
export const listActive = (db: Db, repo_id: string, limit: number): PullRow[] =>
  db.all<PullRow>(
    'SELECT * FROM pulls WHERE repo_id = ? AND active = 1 ORDER BY number DESC LIMIT ?',
    repo_id,
    limit,
  )

/** Pull requests that were closed at or after a moment because their branch was deleted. */
export const listClosedByDeletion = (
  db: Db,
  repo_id: string,
  base_ref: string,
  since: Timestamp,
): PullRow[] =>
  db.all<PullRow>(
    `SELECT * FROM pulls WHERE repo_id = ? AND status = 'closed'
      AND closed_because = 'branch_deleted' AND base_ref = ? AND closed_at >= ? ORDER BY number`,
    repo_id,
    base_ref,
    since,
  )

/** The number of active pull requests of any of these accounts. */
export const countActiveBy = (db: Db, repo_id: string, person_id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM pulls WHERE repo_id = ?1 AND active = 1
     AND author_id IN (SELECT ?2 UNION SELECT id FROM actors WHERE on_behalf_of = ?2)`,
    repo_id,
    person_id,
  )?.count ?? 0

/** Closed pull requests, not merged, that still have their fork and were closed before a moment. */
export const listForksToRemove = (
  db: Db,
  before: Timestamp,
  limit: number,
): { id: string; fork_id: string }[] =>
  db.all(
    `SELECT id, fork_id FROM pulls WHERE fork_id IS NOT NULL AND status = 'closed' AND closed_at < ? LIMIT ?`,
    before,
    limit,
  )

export type NewPullRow = Pick<
  PullRow,
  | 'id'
  | 'repo_id'
  | 'number'
  | 'title'
  | 'body'
  | 'status'
  | 'issue'
  | 'branch'
  | 'fork_id'
  | 'base_ref'
  | 'base_sha'
  | 'head_ref'
  | 'head_sha'
  | 'author_id'
  | 'agent'
  | 'auto_merge'
>

/** A pull request that starts as open is ready from the start. */
export function insertPull(tx: Tx, row: NewPullRow): void {
  const open = row.status === 'open'
  tx.db.run(
    `INSERT INTO pulls (id, repo_id, number, title, body, status, issue, branch, fork_id,
       base_ref, base_sha, head_ref, head_sha, author_id, agent,
       revision, auto_merge, created_at, updated_at, ready_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.number,
    row.title,
    row.body,
    row.status,
    row.issue,
    row.branch,
    row.fork_id,
    row.base_ref,
    row.base_sha,
    row.head_ref,
    row.head_sha,
    row.author_id,
    row.agent,
    open ? 1 : 0,
    row.auto_merge,
    tx.now,
    tx.now,
    open ? tx.now : null,
  )
  indexText(tx, row.repo_id, row.number, row.body)
  if (row.head_sha !== null) insertHead(tx, row.id, row.head_sha)
  reportText(tx, row.id, row.body)
}

/** Updates fields of one row and `updated_at`. Column names come from this program only. */
function setFields(
  tx: Tx,
  { id, repo_id, number }: PullRow,
  fields: Partial<Record<keyof PullRow, SqlValue>>,
): void {
  const names = Object.keys(fields)
  tx.db.run(
    `UPDATE pulls SET ${[...names, 'updated_at'].map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
    ...Object.values(fields),
    tx.now,
    id,
  )
  touchRecord(tx, repo_id, number)
  if (typeof fields.body === 'string') reportText(tx, id, fields.body)
}

/** Sets `updated_at`. */
export function touchPull(tx: Tx, repo_id: string, number: number): void {
  tx.db.run(
    'UPDATE pulls SET updated_at = ? WHERE repo_id = ? AND number = ?',
    tx.now,
    repo_id,
    number,
  )
  touchRecord(tx, repo_id, number)
}

export function setReady(tx: Tx, pull: PullRow, body: string): void {
  setFields(tx, pull, {
    status: 'open',
    body,
    revision: Math.max(1, pull.revision),
    ready_at: tx.now,
  })
  indexText(tx, pull.repo_id, pull.number, body)
}

export const setDraft = (tx: Tx, pull: PullRow): void => setFields(tx, pull, { status: 'draft' })

export function setPullText(
  tx: Tx,
  pull: PullRow,
  fields: { title?: string; body?: string },
): void {
  setFields(tx, pull, fields)
  if (fields.title !== undefined) setRecordTitle(tx, pull.repo_id, pull.number, fields.title)
  const { body } = requirePull(tx.db, pull.repo_id, pull.number)
  indexText(tx, pull.repo_id, pull.number, body)
}

/** Disables auto-merge for all active pull requests. */
export function stopAutoMerge(tx: Tx, repo_id: string): void {
  tx.db.run(
    'DELETE FROM auto_merges WHERE pull_id IN (SELECT id FROM pulls WHERE repo_id = ? AND active = 1)',
    repo_id,
  )
  const stopped = tx.db.all<{ number: number }>(
    `UPDATE pulls SET auto_merge = 0, updated_at = ?
     WHERE repo_id = ? AND active = 1 AND auto_merge = 1 RETURNING number`,
    tx.now,
    repo_id,
  )
  for (const { number } of stopped) touchRecord(tx, repo_id, number)
}

export const setAutoMerge = (tx: Tx, pull: PullRow, on: boolean): void =>
  setFields(tx, pull, { auto_merge: on ? 1 : 0 })

/** Not a change of the pull request itself, so `updated_at` stays. */
export const setAgentRevisions = (tx: Tx, id: string, count: number): void =>
  void tx.db.run('UPDATE pulls SET agent_revisions = ? WHERE id = ?', count, id)

export const setBase = (tx: Tx, pull: PullRow, base: { ref: string; sha: Oid }): void =>
  setFields(tx, pull, { base_ref: base.ref, base_sha: base.sha })

/** Sets the tip of the base. `updated_at` stays, because the pull request itself did not change. */
export const setBaseSha = (tx: Tx, repo_id: string, base_ref: string, sha: Oid): number =>
  tx.db.run(
    'UPDATE pulls SET base_sha = ? WHERE repo_id = ? AND base_ref = ? AND active = 1',
    sha,
    repo_id,
    base_ref,
  )

export function setHead(tx: Tx, pull: PullRow, head: { ref: string; sha: Oid }): void {
  const ready = pull.revision > 0 && pull.head_sha !== head.sha
  setFields(tx, pull, {
    head_ref: head.ref,
    head_sha: head.sha,
    revision: pull.revision + (ready ? 1 : 0),
  })
  insertHead(tx, pull.id, head.sha)
}

export const setClosed = (
  tx: Tx,
  pull: PullRow,
  because: NonNullable<PullRow['closed_because']>,
  by: string | null,
  superseded_by: number | null,
): void =>
  setFields(tx, pull, {
    status: 'closed',
    closed_from: pull.status,
    closed_because: because,
    closed_by: by,
    superseded_by,
    closed_at: tx.now,
  })

export const setReopened = (
  tx: Tx,
  pull: PullRow,
  now: { status: 'draft' | 'open'; base_sha: Oid; head_ref: string | null; head_sha: Oid | null },
): void =>
  setFields(tx, pull, {
    ...now,
    closed_from: null,
    closed_because: null,
    closed_by: null,
    closed_at: null,
  })

export type MergeOutcome = { by: string | null; commit: Oid; method: PullRow['merge_method'] }

/**
 * Marks a pull request as merged; `base_sha` is the base before the merge. It also applies to one
 * that the same push had closed by deleting its branch.
 */
export const setMerged = (tx: Tx, pull: PullRow, merge: MergeOutcome, base_sha: Oid): void =>
  setFields(tx, pull, {
    status: 'merged',
    base_sha,
    merged_by: merge.by,
    merge_commit_sha: merge.commit,
    merge_method: merge.method,
    merged_at: tx.now,
    closed_at: tx.now,
    closed_from: null,
    closed_because: null,
    closed_by: null,
  })

/** For an imported pull request whose merge commit is not in the history. */
export const clearMergeCommit = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE pulls SET merge_commit_sha = NULL WHERE id = ?', id)

export const insertHead = (tx: Tx, pull_id: string, sha: Oid): void =>
  void tx.db.run(
    'INSERT INTO pull_heads (pull_id, sha, pushed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    pull_id,
    sha,
    tx.now,
  )

/**
 * Heads that start with a prefix of a commit id, at most two: an ambiguous prefix resolves to
 * nothing.
 */
export const listHeads = (db: Db, pull_id: string, prefix: string): Oid[] =>
  db
    .all<{ sha: Oid }>(
      `SELECT sha FROM pull_heads WHERE pull_id = ? AND sha >= ? AND sha < ? || 'g' LIMIT 2`,
      pull_id,
      prefix,
      prefix,
    )
    .map(({ sha }) => sha)
