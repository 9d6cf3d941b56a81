/** SQL for pushes of a remote that leads, whose checks have not been seen. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type WaitingPush = {
  readonly event_id: string
  readonly ref: string
  readonly sha: string
  readonly fetched_at: Timestamp
}

export const insertWaiting = (
  tx: Tx,
  { mirror_id, event_id, ref, sha }: Omit<WaitingPush, 'fetched_at'> & { mirror_id: string },
): void =>
  void tx.db.run(
    `INSERT INTO mirror_waiting (mirror_id, event_id, ref, sha, fetched_at) VALUES (?, ?, ?, ?, ?)`,
    mirror_id,
    event_id,
    ref,
    sha,
    tx.now,
  )

/** Newest first. */
export const listWaiting = (db: Db, mirror_id: string, limit: number): WaitingPush[] =>
  db.all<WaitingPush>(
    `SELECT event_id, ref, sha, fetched_at FROM mirror_waiting WHERE mirror_id = ?
     ORDER BY event_id DESC LIMIT ?`,
    mirror_id,
    limit,
  )

/** Deletes a push and all older ones. */
export const removeWaiting = (tx: Tx, mirror_id: string, event_id: string): void =>
  void tx.db.run(
    'DELETE FROM mirror_waiting WHERE mirror_id = ? AND event_id <= ?',
    mirror_id,
    event_id,
  )

/** Keeps the newest. */
export const trimWaiting = (tx: Tx, mirror_id: string, limit: number): void =>
  void tx.db.run(
    `DELETE FROM mirror_waiting WHERE mirror_id = ?1 AND event_id <=
       (SELECT event_id FROM mirror_waiting WHERE mirror_id = ?1 ORDER BY event_id DESC LIMIT 1 OFFSET ?2)`,
    mirror_id,
    limit,
  )
