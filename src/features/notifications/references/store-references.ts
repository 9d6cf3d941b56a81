/**
 * The tables `text_mentions` and `cross_references`: references of a text when it was last read.
 */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

/** A text: the description of a record (`body`), or the id of a comment or review. */
export type TextPlace = {
  readonly repo_id: string
  readonly number: number
  readonly text_id: string
}

/** Stores the mentions of a text. Returns the new ones. */
export function replaceMentions(
  tx: Tx,
  { repo_id, number, text_id }: TextPlace,
  names: readonly string[],
): string[] {
  const before = new Set(
    tx.db
      .all<{ name: string }>(
        'SELECT name FROM text_mentions WHERE repo_id = ? AND number = ? AND text_id = ?',
        repo_id,
        number,
        text_id,
      )
      .map(({ name }) => name),
  )
  if (before.size === 0 && names.length === 0) return []
  tx.db.run(
    'DELETE FROM text_mentions WHERE repo_id = ? AND number = ? AND text_id = ?',
    repo_id,
    number,
    text_id,
  )
  for (const name of names)
    tx.db.run(
      'INSERT INTO text_mentions (repo_id, number, text_id, name) VALUES (?, ?, ?, ?)',
      repo_id,
      number,
      text_id,
      name,
    )
  return names.filter((name) => !before.has(name))
}

export type Target = { readonly repo_id: string; readonly target: string }

/** Stores the references of a text. Existing ones keep their time. */
export function replaceReferences(
  tx: Tx,
  { repo_id, number, text_id }: TextPlace,
  targets: readonly Target[],
  by: { actor_id: string | null; at: Timestamp },
): void {
  const key = (target: Target): string => `${target.repo_id} ${target.target}`
  const before = tx.db.all<Target>(
    `SELECT target_repo_id AS repo_id, target FROM cross_references WHERE repo_id = ?
      AND number = ? AND text_id = ?`,
    repo_id,
    number,
    text_id,
  )
  const now = new Set(targets.map(key))
  for (const row of before) {
    if (now.has(key(row))) continue
    tx.db.run(
      `DELETE FROM cross_references WHERE target_repo_id = ? AND target = ? AND repo_id = ?
        AND number = ? AND text_id = ?`,
      row.repo_id,
      row.target,
      repo_id,
      number,
      text_id,
    )
  }
  for (const target of targets) addReference(tx, { repo_id, number, text_id }, target, by)
}

/** Adds one reference of a text. One that is there keeps its time. */
export const addReference = (
  tx: Tx,
  { repo_id, number, text_id }: TextPlace,
  target: Target,
  by: { actor_id: string | null; at: Timestamp },
): void =>
  void tx.db.run(
    `INSERT INTO cross_references (target_repo_id, target, repo_id, number, text_id,
      actor_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    target.repo_id,
    target.target,
    repo_id,
    number,
    text_id,
    by.actor_id,
    by.at,
  )

export type ReferenceRow = {
  readonly repo_id: string
  readonly number: number
  readonly kind: 'issue' | 'pull'
  readonly title: string
  readonly open: 0 | 1
  readonly text_id: string
  readonly actor_id: string | null
  readonly created_at: Timestamp
}

/**
 * The records that refer to something, each by its first text, oldest first. Deleted comments do
 * not count.
 */
export const listReferences = (
  db: Db,
  repo_id: string,
  target: string,
  limit: number,
): ReferenceRow[] =>
  db.all<ReferenceRow>(
    `SELECT c.repo_id, c.number, r.kind, r.title, r.open, c.text_id, c.actor_id,
       min(c.created_at) AS created_at
     FROM cross_references c JOIN records r ON r.repo_id = c.repo_id AND r.number = c.number
     WHERE c.target_repo_id = ? AND c.target = ? AND (substr(c.text_id, 1, 4) <> 'cmt_'
       OR EXISTS (SELECT 1 FROM comments m WHERE m.id = c.text_id))
     GROUP BY c.repo_id, c.number ORDER BY 8, c.repo_id, c.number LIMIT ?`,
    repo_id,
    target,
    limit,
  )

const MENTION = 'repo_id, number, text_id, name'
const REFERENCE = 'target_repo_id, target, repo_id, number, text_id'

/** Removes one batch of references from and to a purged repository. */
export const removeNamedIn = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM text_mentions WHERE (${MENTION}) IN (SELECT ${MENTION} FROM text_mentions
      WHERE repo_id = ? LIMIT ?)`,
    repo_id,
    limit * 5,
  ) ||
  tx.db.run(
    `DELETE FROM cross_references WHERE (${REFERENCE}) IN (SELECT ${REFERENCE}
      FROM cross_references WHERE repo_id = ? LIMIT ?)`,
    repo_id,
    limit * 5,
  ) ||
  tx.db.run(
    `DELETE FROM cross_references WHERE (${REFERENCE}) IN (SELECT ${REFERENCE}
      FROM cross_references WHERE target_repo_id = ? LIMIT ?)`,
    repo_id,
    limit * 5,
  )
