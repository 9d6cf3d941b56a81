/** The tables `repo_subscriptions`, `record_subscriptions` and `asked_people`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Reason } from '../delivery/reasons.ts'
import type { Level } from '../schema.ts'

export type RepoSubscriptionRow = { level: Level; created_at: Timestamp }

export const findLevel = (db: Db, repo_id: string, user_id: string): RepoSubscriptionRow | null =>
  db.one<RepoSubscriptionRow>(
    'SELECT level, created_at FROM repo_subscriptions WHERE repo_id = ? AND user_id = ?',
    repo_id,
    user_id,
  )

export const putLevel = (tx: Tx, repo_id: string, user_id: string, level: Level): void =>
  void tx.db.run(
    `INSERT INTO repo_subscriptions (repo_id, user_id, level, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (repo_id, user_id) DO UPDATE SET created_at = CASE
       WHEN level = excluded.level THEN created_at
       ELSE excluded.created_at END, level = excluded.level`,
    repo_id,
    user_id,
    level,
    tx.now,
  )

/** People who chose one of these levels. */
export const listWatchers = (db: Db, repo_id: string, levels: readonly Level[]): string[] =>
  db
    .all<{ user_id: string }>(
      `SELECT user_id FROM repo_subscriptions WHERE repo_id = ? AND level IN (SELECT value
        FROM json_each(?))`,
      repo_id,
      JSON.stringify(levels),
    )
    .map(({ user_id }) => user_id)

/** Why a person is subscribed to an issue or pull request. */
export type SubscriptionReason = Extract<
  Reason,
  | 'author'
  | 'assigned'
  | 'review_requested'
  | 'mention'
  | 'team_mention'
  | 'commented'
  | 'subscribed'
>
export type RecordSubscriptionRow = {
  user_id: string
  subscribed: 0 | 1
  because: SubscriptionReason
  created_at: Timestamp
}

export const findRecordSubscription = (
  db: Db,
  repo_id: string,
  number: number,
  user_id: string,
): RecordSubscriptionRow | null =>
  db.one<RecordSubscriptionRow>(
    `SELECT user_id, subscribed, because, created_at FROM record_subscriptions
      WHERE repo_id = ? AND number = ? AND user_id = ?`,
    repo_id,
    number,
    user_id,
  )

export const listRecordSubscriptions = (
  db: Db,
  repo_id: string,
  number: number,
): RecordSubscriptionRow[] =>
  db.all<RecordSubscriptionRow>(
    `SELECT user_id, subscribed, because, created_at FROM record_subscriptions
      WHERE repo_id = ? AND number = ?`,
    repo_id,
    number,
  )

/**
 * Subscribes a person because of an action or a request. An existing subscription or a choice
 * stays.
 */
export const subscribe = (
  tx: Tx,
  repo_id: string,
  number: number,
  user_id: string,
  because: SubscriptionReason,
): void =>
  void tx.db.run(
    `INSERT INTO record_subscriptions (repo_id, number, user_id, subscribed, because,
      created_at) VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO NOTHING`,
    repo_id,
    number,
    user_id,
    because,
    tx.now,
  )

/** Stores the choice of a person. */
export const putRecordSubscription = (
  tx: Tx,
  repo_id: string,
  number: number,
  user_id: string,
  subscribed: boolean,
): void =>
  void tx.db.run(
    `INSERT INTO record_subscriptions (repo_id, number, user_id, subscribed, because,
       created_at) VALUES (?, ?, ?, ?, 'subscribed', ?)
     ON CONFLICT (repo_id, number, user_id) DO UPDATE SET created_at = CASE
       WHEN subscribed = excluded.subscribed THEN created_at ELSE excluded.created_at END,
       subscribed = excluded.subscribed`,
    repo_id,
    number,
    user_id,
    subscribed ? 1 : 0,
    tx.now,
  )

export type RequestedPerson = 'assigned' | 'review_requested'

/** Stores who is assigned or requested now. Returns those who were not before. */
export function replaceRequested(
  tx: Tx,
  repo_id: string,
  number: number,
  what: RequestedPerson,
  user_ids: readonly string[],
): string[] {
  const before = new Set(
    tx.db
      .all<{ user_id: string }>(
        'SELECT user_id FROM asked_people WHERE repo_id = ? AND number = ? AND what = ?',
        repo_id,
        number,
        what,
      )
      .map(({ user_id }) => user_id),
  )
  const now = new Set(user_ids)
  for (const user_id of before)
    if (!now.has(user_id))
      tx.db.run(
        'DELETE FROM asked_people WHERE repo_id = ? AND number = ? AND what = ? AND user_id = ?',
        repo_id,
        number,
        what,
        user_id,
      )
  const added = [...now].filter((user_id) => !before.has(user_id))
  for (const user_id of added)
    tx.db.run(
      'INSERT INTO asked_people (repo_id, number, what, user_id) VALUES (?, ?, ?, ?)',
      repo_id,
      number,
      what,
      user_id,
    )
  return added
}
