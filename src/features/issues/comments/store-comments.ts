/** Rows of comments and of the reactions to them. */
import type { Db } from '#core/db.ts'
import { memo, preload } from '#core/read-scope.ts'
import { reportText } from '#core/texts.ts'
import type { Tx } from '#core/write.ts'
import { typeId } from '#core/ids.ts'
import type { ReactionContent } from '../schema.ts'
import { touchRecord, type RecordKind } from '../store-records.ts'

export type CommentRow = {
  readonly id: string
  readonly repo_id: string
  readonly number: number
  /** Whether the number is of an issue or a pull request. */
  readonly kind: RecordKind
  readonly author_id: string
  readonly body: string
  readonly path: string | null
  readonly line: number | null
  readonly start_line: number | null
  readonly side: 'new' | 'old' | null
  readonly commit_sha: string | null
  readonly outdated: 0 | 1
  readonly in_reply_to: string | null
  /** The state of the thread, equal in all its comments. */
  readonly resolved: 0 | 1
  readonly resolved_by: string | null
  readonly review_id: string | null
  readonly applied_in: string | null
  readonly created_at: string
  readonly updated_at: string
}

const SELECT = `SELECT c.id, c.repo_id, c.number, r.kind, c.author_id, c.body, c.path, c.line, c.start_line,
   c.side, c.commit_sha, c.outdated,
  c.in_reply_to, coalesce(t.resolved, c.resolved) AS resolved, CASE WHEN t.id IS NULL THEN c.resolved_by ELSE t.resolved_by END AS resolved_by,
  c.review_id, c.applied_in, c.created_at, c.updated_at
  FROM comments c CROSS JOIN records r ON r.repo_id = c.repo_id AND r.number = c.number LEFT
    JOIN comments t ON t.id = c.in_reply_to`

export const findComment = (db: Db, id: string): CommentRow | null =>
  db.one<CommentRow>(`${SELECT} WHERE c.id = ?`, id)

/** Oldest first. `since` leaves out comments that were not changed since that time. */
export function listCommentRows(
  db: Db,
  repo_id: string,
  number: number,
  { limit, offset = 0, since }: { limit: number; offset?: number; since?: string },
): CommentRow[] {
  return db.all<CommentRow>(
    `${SELECT} WHERE c.repo_id = ?1 AND c.number = ?2 AND (?3 IS NULL OR c.updated_at >= ?3) ORDER BY c.id LIMIT ?4 OFFSET ?5`,
    repo_id,
    number,
    since ?? null,
    limit,
    offset,
  )
}

/**
 * Comments that are on no line: the newest before an id, newest first, or the oldest from one on,
 * oldest first.
 */
export function listCommentsNear(
  db: Db,
  repo_id: string,
  number: number,
  { before, from, limit }: { before?: string; from?: string; limit: number },
): CommentRow[] {
  const where = `${SELECT} WHERE c.repo_id = ?1 AND c.number = ?2 AND c.path IS NULL AND`
  return from === undefined
    ? db.all<CommentRow>(
        `${where} (?3 IS NULL OR c.id < ?3) ORDER BY c.id DESC LIMIT ?4`,
        repo_id,
        number,
        before ?? null,
        limit,
      )
    : db.all<CommentRow>(`${where} c.id >= ?3 ORDER BY c.id LIMIT ?4`, repo_id, number, from, limit)
}

export type CommentStart = Pick<CommentRow, 'id' | 'number' | 'author_id' | 'body'>

/** The beginnings of some comments of each of several records, oldest first. */
export const listCommentStarts = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
  { limit, offset, length }: { limit: number; offset: number; length: number },
): CommentStart[] =>
  db.all<CommentStart>(
    `SELECT c.id, c.number, c.author_id, substr(c.body, 1, ?5) AS body
     FROM json_each(?2) n CROSS JOIN comments c ON c.id IN (SELECT id FROM comments
       WHERE repo_id = ?1 AND number = n.value ORDER BY id LIMIT ?3 OFFSET ?4)
     ORDER BY c.id`,
    repo_id,
    JSON.stringify(numbers),
    limit,
    offset,
    length,
  )

/** The comments of a review, oldest first. */
export const listReviewComments = (db: Db, review_id: string): CommentRow[] =>
  db.all<CommentRow>(`${SELECT} WHERE c.review_id = ? ORDER BY c.id`, review_id)

/** The comments on lines of a change, oldest first. */
export const listLineComments = (db: Db, repo_id: string, number: number): CommentRow[] =>
  db.all<CommentRow>(
    `${SELECT} WHERE c.repo_id = ? AND c.number = ? AND c.path IS NOT NULL ORDER BY c.id`,
    repo_id,
    number,
  )

/** The number of unresolved threads on lines of a change. */
export const countUnresolved = (db: Db, repo_id: string, number: number): number =>
  memo(
    db,
    'unresolved threads',
    `${repo_id} ${number}`,
    () => countUnresolvedOfAll(db, repo_id, [number]).get(number) ?? 0,
  )

/** Preloads the same for several records of a repository. */
export const preloadUnresolved = (db: Db, repo_id: string, numbers: readonly number[]): void =>
  preload(
    db,
    'unresolved threads',
    numbers.map((number) => `${repo_id} ${number}`),
    () =>
      new Map(
        [...countUnresolvedOfAll(db, repo_id, numbers)].map(([number, count]) => [
          `${repo_id} ${number}`,
          count,
        ]),
      ),
    () => 0,
  )

/** The numbers of several records, by number. A number without unresolved threads is left out. */
export const countUnresolvedOfAll = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): Map<number, number> =>
  new Map(
    db
      .all<{ number: number; count: number }>(
        `SELECT number, COUNT(*) AS count FROM comments
         WHERE repo_id = ? AND number IN (SELECT value FROM json_each(?))
           AND path IS NOT NULL AND in_reply_to IS NULL AND resolved = 0
         GROUP BY number`,
        repo_id,
        JSON.stringify(numbers),
      )
      .map(({ number, count }) => [number, count]),
  )

export type NewComment = {
  /** Only of a comment of the past; others get the next id. */
  id?: string
  repo_id: string
  number: number
  author_id: string
  body: string
  path?: string | null
  line?: number | null
  start_line?: number | null
  side?: 'new' | 'old' | null
  commit_sha?: string | null
  /** The first comment of the thread. */
  in_reply_to?: string | null
  review_id?: string | null
}

/** Inserts a comment and returns its id. The caller appends the event. */
export function insertComment(tx: Tx, comment: NewComment): string {
  const id = comment.id ?? typeId('cmt', tx.now_ms)
  const {
    path = null,
    line = null,
    start_line = null,
    commit_sha = null,
    in_reply_to = null,
    review_id = null,
  } = comment
  const side = path === null ? null : (comment.side ?? 'new')
  tx.db.run(
    `INSERT INTO comments
       (id, repo_id, number, author_id, body, path, line, start_line, side, commit_sha, in_reply_to, review_id, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    comment.repo_id,
    comment.number,
    comment.author_id,
    comment.body,
    path,
    line,
    start_line,
    side,
    commit_sha,
    in_reply_to,
    review_id,
    tx.now,
    tx.now,
  )
  touchRecord(tx, comment.repo_id, comment.number)
  reportText(tx, id, comment.body)
  return id
}

export function setCommentBody(tx: Tx, id: string, body: string): void {
  tx.db.run('UPDATE comments SET body = ?, updated_at = ? WHERE id = ?', body, tx.now, id)
  reportText(tx, id, body)
}

export const touchComment = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE comments SET updated_at = ? WHERE id = ?', tx.now, id)

/** Sets whether the line of a comment left the change. */
export function setCommentOutdated(tx: Tx, id: string, outdated: boolean): void {
  tx.db.run('UPDATE comments SET outdated = ? WHERE id = ?', outdated ? 1 : 0, id)
}

/** Records the commit that applied the suggestion of a comment. */
export function setSuggestionApplied(tx: Tx, id: string, commit: string): void {
  tx.db.run('UPDATE comments SET applied_in = ?, updated_at = ? WHERE id = ?', commit, tx.now, id)
}

export function setThreadResolved(
  tx: Tx,
  thread_id: string,
  resolved: boolean,
  by: string | null,
): void {
  tx.db.run(
    'UPDATE comments SET resolved = ?, resolved_by = ?, updated_at = ? WHERE id = ?',
    resolved ? 1 : 0,
    resolved ? by : null,
    tx.now,
    thread_id,
  )
}

/** Removes a comment. When it was the first of its thread, the next comment becomes the first. */
export function removeComment(tx: Tx, id: string): void {
  const heir = tx.db.one<{ id: string }>(
    'SELECT id FROM comments WHERE in_reply_to = ? ORDER BY id LIMIT 1',
    id,
  )
  if (heir) {
    tx.db.run(
      `UPDATE comments
        SET in_reply_to = NULL, (resolved, resolved_by) = (SELECT resolved, resolved_by
        FROM comments WHERE id = ?) WHERE id = ?`,
      id,
      heir.id,
    )
    tx.db.run('UPDATE comments SET in_reply_to = ? WHERE in_reply_to = ?', heir.id, id)
  }
  tx.db.run('DELETE FROM comments WHERE id = ?', id)
}

export const listReactions = (
  db: Db,
  comment_ids: readonly string[],
): { comment_id: string; content: ReactionContent; count: number }[] =>
  db.all(
    `SELECT comment_id, content, COUNT(*) AS count FROM reactions
      WHERE comment_id IN (SELECT value FROM json_each(?)) GROUP BY comment_id, content`,
    JSON.stringify(comment_ids),
  )

export function insertReaction(
  tx: Tx,
  comment_id: string,
  content: ReactionContent,
  actor_id: string,
): void {
  tx.db.run(
    `INSERT INTO reactions (comment_id, content, actor_id, created_at) VALUES (?, ?, ?, ?)
      ON CONFLICT DO NOTHING`,
    comment_id,
    content,
    actor_id,
    tx.now,
  )
}

/** Returns whether there was such a reaction. */
export const removeReaction = (
  tx: Tx,
  comment_id: string,
  content: ReactionContent,
  actor_id: string,
): boolean =>
  tx.db.run(
    'DELETE FROM reactions WHERE comment_id = ? AND content = ? AND actor_id = ?',
    comment_id,
    content,
    actor_id,
  ) > 0

/** The beginnings of comments by their ids. */
export const listCommentBodies = (
  db: Db,
  ids: readonly string[],
  length: number,
): { id: string; body: string }[] =>
  db.all(
    'SELECT id, substr(body, 1, ?) AS body FROM comments WHERE id IN (SELECT value FROM json_each(?))',
    length,
    JSON.stringify(ids),
  )
