/** The table `keys`. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Key, KeyUsage } from './schema.ts'

export type KeyRow = {
  id: string
  user_id: string
  title: string
  usage: KeyUsage
  read_only: 0 | 1
  algorithm: string
  key: string
  fingerprint: string
  created_at: string
  last_used_at: string | null
}

export const keyRecord = ({
  id,
  title,
  usage,
  read_only,
  algorithm,
  key,
  fingerprint,
  created_at,
  last_used_at,
}: KeyRow): Key => ({
  id,
  title,
  usage,
  read_only: read_only === 1,
  key: `${algorithm} ${key}`,
  fingerprint,
  created_at,
  last_used_at,
})

/** Newest first. */
export const listKeyRows = (db: Db, user_id: string): KeyRow[] =>
  db.all<KeyRow>('SELECT * FROM keys WHERE user_id = ? ORDER BY id DESC', user_id)

export const findKey = (db: Db, id: string): KeyRow | null =>
  db.one<KeyRow>('SELECT * FROM keys WHERE id = ?', id)

export const findKeyByFingerprint = (db: Db, fingerprint: string): KeyRow | null =>
  db.one<KeyRow>('SELECT * FROM keys WHERE fingerprint = ?', fingerprint)

export const insertKey = (db: WritableDb, row: KeyRow): void =>
  void db.run(
    `INSERT INTO keys (id, user_id, title, usage, read_only, algorithm, key, fingerprint,
     created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.user_id,
    row.title,
    row.usage,
    row.read_only,
    row.algorithm,
    row.key,
    row.fingerprint,
    row.created_at,
  )

export const removeKeyRow = (db: WritableDb, id: string): void =>
  void db.run('DELETE FROM keys WHERE id = ?', id)

export const setKeyUsed = (db: WritableDb, id: string, now: string): void =>
  void db.run('UPDATE keys SET last_used_at = ? WHERE id = ?', now, id)

/** The extension of `signingKeys`: the user whose key may sign. */
export function findSigner(db: Db, fingerprint: string): string | null {
  const row = findKeyByFingerprint(db, fingerprint)
  return row === null || row.usage === 'authentication' ? null : row.user_id
}
