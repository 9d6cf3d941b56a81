/** The tables `notification_settings`, `agent_activity` and `feed_tokens`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Reason } from '../delivery/reasons.ts'
import type { Digest } from '../schema.ts'

export type SettingsRow = {
  readonly silent: readonly Reason[]
  readonly digest: Digest
  readonly digest_at: Timestamp | null
}

export function settingsOf(db: Db, user_id: string): SettingsRow {
  const row = db.one<{ silent: string; digest: Digest; digest_at: Timestamp | null }>(
    'SELECT silent, digest, digest_at FROM notification_settings WHERE user_id = ?',
    user_id,
  )
  return row
    ? { ...row, silent: JSON.parse(row.silent) }
    : { silent: [], digest: 'off', digest_at: null }
}

/**
 * Stores settings. Activity is collected while the digest is on, and removed when it is switched
 * off.
 */
export function putSettings(
  tx: Tx,
  user_id: string,
  { silent, digest }: Pick<SettingsRow, 'silent' | 'digest'>,
): void {
  tx.db.run(
    `INSERT INTO notification_settings (user_id, silent, digest, digest_at)
       VALUES (?1, ?2, ?3, ?4) ON CONFLICT (user_id) DO UPDATE SET
       silent = excluded.silent, digest_at = CASE WHEN digest = 'off' THEN excluded.digest_at ELSE digest_at END, digest = excluded.digest`,
    user_id,
    JSON.stringify(silent),
    digest,
    tx.now,
  )
  if (digest === 'off') tx.db.run('DELETE FROM agent_activity WHERE user_id = ?', user_id)
}

export const insertActivity = (tx: Tx, user_id: string, event_id: string): void =>
  void tx.db.run(
    'INSERT INTO agent_activity (user_id, event_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
    user_id,
    event_id,
  )

/** People whose last digest is an hour or a day old. */
export const listDigests = (db: Db, due: { hourly: Timestamp; daily: Timestamp }): string[] =>
  db
    .all<{ user_id: string }>(
      `SELECT user_id FROM notification_settings WHERE digest <> 'off'
        AND digest_at <= CASE digest WHEN 'hourly' THEN ?1 ELSE ?2 END ORDER BY digest_at`,
      due.hourly,
      due.daily,
    )
    .map(({ user_id }) => user_id)

export const setDigested = (tx: Tx, user_id: string): void =>
  void tx.db.run(
    'UPDATE notification_settings SET digest_at = ? WHERE user_id = ?',
    tx.now,
    user_id,
  )

/** Activity up to the newest event of a digest. */
export const listActivity = (db: Db, user_id: string, upto: string | null): string[] =>
  db
    .all<{ event_id: string }>(
      `SELECT event_id FROM agent_activity WHERE user_id = ?1 AND (?2 IS NULL
        OR event_id <= ?2) ORDER BY event_id`,
      user_id,
      upto,
    )
    .map(({ event_id }) => event_id)

export const removeActivity = (tx: Tx, user_id: string, upto: string): void =>
  void tx.db.run('DELETE FROM agent_activity WHERE user_id = ? AND event_id <= ?', user_id, upto)

export const putFeedToken = (tx: Tx, user_id: string, secret_hash: string): void =>
  void tx.db.run(
    `INSERT INTO feed_tokens (user_id, secret_hash, created_at) VALUES (?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE
       SET secret_hash = excluded.secret_hash, created_at = excluded.created_at`,
    user_id,
    secret_hash,
    tx.now,
  )

export const findFeedToken = (db: Db, user_id: string): { created_at: Timestamp } | null =>
  db.one('SELECT created_at FROM feed_tokens WHERE user_id = ?', user_id)

export const findFeedReader = (db: Db, secret_hash: string): string | null =>
  db.one<{ user_id: string }>('SELECT user_id FROM feed_tokens WHERE secret_hash = ?', secret_hash)
    ?.user_id ?? null

export const removeFeedToken = (tx: Tx, user_id: string): boolean =>
  tx.db.run('DELETE FROM feed_tokens WHERE user_id = ?', user_id) > 0
