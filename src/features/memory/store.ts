/** The table `memories`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { MemoryKind } from './schema.ts'

export type MemoryRow = {
  readonly id: string
  /** Exactly one of the two is null. */
  readonly workspace_id: string | null
  readonly repo_id: string | null
  readonly kind: MemoryKind
  readonly text: string
  readonly folded: string
  readonly pinned: 0 | 1
  /** JSON: `CitedPath[]`. */
  readonly paths: string
  readonly author_id: string
  readonly author_kind: 'user' | 'agent' | 'workspace'
  readonly pull_number: number | null
  readonly needs_review: 0 | 1
  readonly reviewed_at: Timestamp | null
  readonly uses: number
  readonly last_used_at: Timestamp | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** A file, and its object when it was cited. */
export type CitedPath = { readonly path: string; readonly oid: string }

/** Where a memory belongs. */
export type Place = { readonly repo_id: string } | { readonly workspace_id: string }

const SELECT = `SELECT m.*, a.kind AS author_kind FROM memories m
  JOIN actors a ON a.id = m.author_id`

const condition = (place: Place): readonly [sql: string, id: string] =>
  'repo_id' in place ? ['m.repo_id = ?', place.repo_id] : ['m.workspace_id = ?', place.workspace_id]

export const findMemory = (db: Db, id: string): MemoryRow | null =>
  db.one<MemoryRow>(`${SELECT} WHERE m.id = ?`, id)

/** All of a place, at most as many as it may have. */
export function listMemoryRows(db: Db, place: Place): MemoryRow[] {
  const [where, id] = condition(place)
  return db.all<MemoryRow>(`${SELECT} WHERE ${where}`, id)
}

/**
 * Ids of the memories that come from a pull request: those of its repository, and those of the
 * workspace that an agent of the repository wrote.
 */
export const listMemoriesOfPull = (db: Db, repo_id: string, number: number): Set<string> =>
  new Set(
    db
      .all<{ id: string }>(
        `SELECT id FROM memories WHERE repo_id = ?1 AND pull_number = ?2
         UNION ALL SELECT m.id FROM agents g JOIN memories m ON m.author_id = g.id
           WHERE g.repo_id = ?1 AND m.workspace_id IS NOT NULL AND m.pull_number = ?2`,
        repo_id,
        number,
      )
      .map(({ id }) => id),
  )

export function findEqualMemory(db: Db, place: Place, folded: string): MemoryRow | null {
  const [where, id] = condition(place)
  return db.one<MemoryRow>(`${SELECT} WHERE ${where} AND m.folded = ?`, id, folded)
}

export function countMemories(db: Db, place: Place): { all: number; pinned: number } {
  const [where, id] = condition(place)
  return (
    db.one<{ all: number; pinned: number }>(
      `SELECT count(*) AS "all", coalesce(sum(m.pinned), 0) AS pinned FROM memories m
       WHERE ${where}`,
      id,
    ) ?? { all: 0, pinned: 0 }
  )
}

/** How many an author wrote since a time. */
export const countMemoriesBy = (db: Db, author_id: string, since: Timestamp): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM memories WHERE author_id = ? AND created_at >= ?',
    author_id,
    since,
  )?.count ?? 0

export const insertMemory = (
  tx: Tx,
  row: Omit<MemoryRow, 'author_kind' | 'uses' | 'last_used_at'>,
) =>
  void tx.db.run(
    `INSERT INTO memories (id, workspace_id, repo_id, kind, text, folded, pinned, paths, author_id,
       pull_number, needs_review, reviewed_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.repo_id,
    row.kind,
    row.text,
    row.folded,
    row.pinned,
    row.paths,
    row.author_id,
    row.pull_number,
    row.needs_review,
    row.reviewed_at,
    row.created_at,
    row.updated_at,
  )

export const setMemory = (
  tx: Tx,
  row: Pick<MemoryRow, 'id' | 'kind' | 'text' | 'folded' | 'pinned' | 'paths' | 'reviewed_at'>,
): void =>
  void tx.db.run(
    `UPDATE memories SET kind = ?, text = ?, folded = ?, pinned = ?, paths = ?, reviewed_at = ?,
       updated_at = ? WHERE id = ?`,
    row.kind,
    row.text,
    row.folded,
    row.pinned,
    row.paths,
    row.reviewed_at,
    tx.now,
    row.id,
  )

export const removeMemory = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM memories WHERE id = ?', id)

/** Counts that an agent was given these. */
export const addUses = (tx: Tx, ids: readonly string[]): void =>
  void tx.db.run(
    `UPDATE memories SET uses = uses + 1, last_used_at = ?
     WHERE id IN (SELECT value FROM json_each(?))`,
    tx.now,
    JSON.stringify(ids),
  )

export const removeMemoriesOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM memories WHERE id IN (SELECT id FROM memories WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

/**
 * The authors of what an agent that works on a pull request reads: of the pull request, of its
 * issue, and of their comments.
 */
export const listAuthorsRead = (db: Db, repo_id: string, number: number): string[] =>
  db
    .all<{ id: string }>(
      `WITH read (number) AS (
         VALUES (?2) UNION SELECT issue FROM pulls
           WHERE repo_id = ?1 AND number = ?2 AND issue IS NOT NULL)
       SELECT author_id AS id FROM records
         WHERE repo_id = ?1 AND number IN (SELECT number FROM read)
       UNION SELECT author_id FROM comments
         WHERE repo_id = ?1 AND number IN (SELECT number FROM read)`,
      repo_id,
      number,
    )
    .map(({ id }) => id)
