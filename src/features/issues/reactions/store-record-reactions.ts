/** The table `record_reactions`: reactions to issues and pull requests themselves. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { ReactionContent, ReactionCounts } from '../schema.ts'
import { noReactions } from './no-reactions.ts'

/** How often each was given. */
export function countRecordReactions(db: Db, repo_id: string, number: number): ReactionCounts {
  const counts = noReactions()
  const rows = db.all<{ content: ReactionContent; count: number }>(
    `SELECT content, count(*) AS count FROM record_reactions
     WHERE repo_id = ? AND number = ? GROUP BY content`,
    repo_id,
    number,
  )
  for (const { content, count } of rows) counts[content] = count
  return counts
}

/** A reaction that was given before stays as it is. */
export const insertRecordReaction = (
  tx: Tx,
  repo_id: string,
  number: number,
  content: ReactionContent,
  actor_id: string,
): void =>
  void tx.db.run(
    `INSERT OR IGNORE INTO record_reactions (repo_id, number, content, actor_id, created_at)
     VALUES (?, ?, ?, ?, ?)`,
    repo_id,
    number,
    content,
    actor_id,
    tx.now,
  )

/** Returns whether there was such a reaction. */
export const removeRecordReaction = (
  tx: Tx,
  repo_id: string,
  number: number,
  content: ReactionContent,
  actor_id: string,
): boolean =>
  tx.db.run(
    `DELETE FROM record_reactions
     WHERE repo_id = ? AND number = ? AND content = ? AND actor_id = ?`,
    repo_id,
    number,
    content,
    actor_id,
  ) > 0

export type GivenReaction = {
  /** Null for the issue or pull request itself. */
  readonly comment_id: string | null
  readonly content: ReactionContent
  readonly actor_id: string
  readonly created_at: Timestamp
}

/** All reactions to an issue or pull request and to its comments, with who gave them. */
export const listGivenReactions = (db: Db, repo_id: string, number: number): GivenReaction[] =>
  db.all<GivenReaction>(
    `SELECT NULL AS comment_id, content, actor_id, created_at FROM record_reactions
       WHERE repo_id = ?1 AND number = ?2
     UNION ALL
     SELECT r.comment_id, r.content, r.actor_id, r.created_at FROM comments c
       JOIN reactions r ON r.comment_id = c.id WHERE c.repo_id = ?1 AND c.number = ?2
     ORDER BY comment_id, content, actor_id`,
    repo_id,
    number,
  )
