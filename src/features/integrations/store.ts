/** The table `integrations`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { IntegrationKind, ModelSpeed } from './schema.ts'

export type IntegrationRow = {
  readonly id: string
  readonly workspace_id: string
  readonly kind: IntegrationKind
  readonly provider: string
  readonly name: string
  /** JSON. */
  readonly config: string
  /** Sealed. */
  readonly secret: string | null
  readonly enabled: 0 | 1
  readonly last_checked_at: Timestamp | null
  readonly last_error: string | null
  /** JSON; what a model provider lists. */
  readonly offered_models: string | null
  /** JSON; how fast a model of the provider wrote when somebody tested it last. */
  readonly speed: string | null
  readonly created_by: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export const findIntegration = (db: Db, id: string): IntegrationRow | null =>
  db.one<IntegrationRow>('SELECT * FROM integrations WHERE id = ?', id)

/** Newest first. */
export const listIntegrationRows = (
  db: Db,
  workspace_id: string,
  window: { limit: number; offset: number },
): IntegrationRow[] =>
  db.all<IntegrationRow>(
    'SELECT * FROM integrations WHERE workspace_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    workspace_id,
    window.limit,
    window.offset,
  )

/** The integrations of one kind that are in use, oldest first. */
export const listEnabledIntegrations = (
  db: Db,
  workspace_id: string,
  kind: IntegrationKind,
): IntegrationRow[] =>
  db.all<IntegrationRow>(
    'SELECT * FROM integrations WHERE workspace_id = ? AND kind = ? AND enabled = 1 ORDER BY id',
    workspace_id,
    kind,
  )

/** Enabled integrations of all workspaces after an id, for the regular tests. */
export const listIntegrationsToCheck = (db: Db, after: string, limit: number): IntegrationRow[] =>
  db.all<IntegrationRow>(
    'SELECT * FROM integrations WHERE enabled = 1 AND id > ? ORDER BY id LIMIT ?',
    after,
    limit,
  )

export const countIntegrations = (db: Db, workspace_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM integrations WHERE workspace_id = ?',
    workspace_id,
  )?.count ?? 0

export const insertIntegration = (
  tx: Tx,
  row: Omit<
    IntegrationRow,
    | 'enabled'
    | 'last_checked_at'
    | 'last_error'
    | 'offered_models'
    | 'speed'
    | 'created_at'
    | 'updated_at'
  >,
): void =>
  void tx.db.run(
    `INSERT INTO integrations (id, workspace_id, kind, provider, name, config, secret, created_by,
     created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.kind,
    row.provider,
    row.name,
    row.config,
    row.secret,
    row.created_by,
    tx.now,
    tx.now,
  )

export type IntegrationChange = Partial<
  Pick<IntegrationRow, 'name' | 'config' | 'secret' | 'enabled'>
>

export const setIntegration = (tx: Tx, row: IntegrationRow, change: IntegrationChange): void => {
  const now = { ...row, ...change }
  tx.db.run(
    `UPDATE integrations SET name = ?, config = ?, secret = ?, enabled = ?, updated_at = ?
     WHERE id = ?`,
    now.name,
    now.config,
    now.secret,
    now.enabled,
    tx.now,
    row.id,
  )
}

/**
 * Records the result of a connection; `error` is null when it succeeded. `models` is what a model
 * provider lists, and null leaves what it listed before.
 */
export const setChecked = (
  tx: Tx,
  id: string,
  error: string | null,
  models: readonly string[] | null = null,
): void =>
  void tx.db.run(
    `UPDATE integrations SET last_checked_at = ?, last_error = ?,
       offered_models = coalesce(?, offered_models) WHERE id = ?`,
    tx.now,
    error,
    models === null ? null : JSON.stringify(models),
    id,
  )

/** What a test measured; null when another address or model makes it void. */
export const setSpeed = (tx: Tx, id: string, speed: ModelSpeed | null): void =>
  void tx.db.run(
    'UPDATE integrations SET speed = ? WHERE id = ?',
    speed === null ? null : JSON.stringify(speed),
    id,
  )

export const removeIntegration = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM integrations WHERE id = ?', id)
