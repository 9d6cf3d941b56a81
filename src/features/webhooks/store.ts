/** The table `webhooks`. */
import type { Db } from '#core/db.ts'
import type { Owner } from '#core/owner.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Light } from './schema.ts'

export type HookRow = Owner & {
  readonly id: string
  readonly url: string
  /** A JSON array of event types. */
  readonly events: string
  readonly active: 0 | 1
  /** Encrypted. */
  readonly secret: string
  readonly light: Light
  readonly light_delivery: string | null
  readonly failed_in_row: number
  readonly failing_since: Timestamp | null
  readonly created_by: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  readonly removed_at: Timestamp | null
}

/** A webhook, also one that is being removed. */
export const findHook = (db: Db, id: string): HookRow | null =>
  db.one<HookRow>('SELECT * FROM webhooks WHERE id = ?', id)

const OF_OWNER =
  '((repo_id IS NOT NULL AND repo_id = ?1) OR (workspace_id IS NOT NULL AND workspace_id = ?2)) AND removed_at IS NULL'

/** Newest first. */
export const listHooks = (
  db: Db,
  { repo_id, workspace_id }: Owner,
  window: { limit: number; offset: number },
): HookRow[] =>
  db.all<HookRow>(
    `SELECT * FROM webhooks WHERE ${OF_OWNER} ORDER BY id DESC LIMIT ?3 OFFSET ?4`,
    repo_id,
    workspace_id,
    window.limit,
    window.offset,
  )

export const countHooks = (db: Db, { repo_id, workspace_id }: Owner): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM webhooks WHERE ${OF_OWNER}`,
    repo_id,
    workspace_id,
  )?.count ?? 0

/** Active webhooks for events of a repository (null: of the workspace itself), the oldest first. */
export const listSubscribers = (db: Db, repo_id: string | null, workspace_id: string): HookRow[] =>
  db.all<HookRow>(
    `SELECT * FROM webhooks WHERE ${OF_OWNER} AND active = 1 ORDER BY id`,
    repo_id,
    workspace_id,
  )

export const insertHook = (
  tx: Tx,
  row: Owner & Pick<HookRow, 'id' | 'url' | 'events' | 'secret' | 'created_by'>,
): void =>
  void tx.db.run(
    `INSERT INTO webhooks (id, repo_id, workspace_id, url, events, active, secret, light,
      created_by, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 1, ?, 'none', ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.workspace_id,
    row.url,
    row.events,
    row.secret,
    row.created_by,
    tx.now,
    tx.now,
  )

export type HookChange = Partial<Pick<HookRow, 'url' | 'events' | 'active' | 'secret'>>

/** Updates the settings of a webhook. */
export const setHook = (tx: Tx, row: HookRow, change: HookChange): void => {
  const now = { ...row, ...change }
  tx.db.run(
    'UPDATE webhooks SET url = ?, events = ?, active = ?, secret = ?, updated_at = ? WHERE id = ?',
    now.url,
    now.events,
    now.active,
    now.secret,
    tx.now,
    row.id,
  )
}

/** Updates the delivery state of a webhook. */
export const setDeliveryState = (
  tx: Tx,
  id: string,
  standing: Pick<HookRow, 'light' | 'light_delivery' | 'failed_in_row' | 'failing_since'>,
): void =>
  void tx.db.run(
    'UPDATE webhooks SET light = ?, light_delivery = ?, failed_in_row = ?, failing_since = ? WHERE id = ?',
    standing.light,
    standing.light_delivery,
    standing.failed_in_row,
    standing.failing_since,
    id,
  )

export const setRemoved = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE webhooks SET removed_at = ? WHERE id = ?', tx.now, id)

export const listHooksOfRepo = (db: Db, repo_id: string): HookRow[] =>
  db.all<HookRow>('SELECT * FROM webhooks WHERE repo_id = ? AND removed_at IS NULL', repo_id)

/** All ids in order, one page at a time. */
export const listHookIds = (
  db: Db,
  after: string,
  limit: number,
): { id: string; removed_at: Timestamp | null }[] =>
  db.all('SELECT id, removed_at FROM webhooks WHERE id > ? ORDER BY id LIMIT ?', after, limit)

export const removeHookRow = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM webhooks WHERE id = ?', id)
