import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { notFound } from '#lib/errors.ts'
import type { Integration } from './schema.ts'
import { findIntegration, type IntegrationRow } from './store.ts'

export const configOf = (row: Pick<IntegrationRow, 'config'>): Record<string, unknown> =>
  JSON.parse(row.config) as Record<string, unknown>

const statusOf = (row: IntegrationRow): Integration['status'] => {
  if (row.enabled === 0) return 'disabled'
  return row.last_error === null ? 'connected' : 'failing'
}

export const integrationRecord = (hearth: Hearth, row: IntegrationRow): Integration => ({
  id: row.id,
  workspace: workspaceById(hearth.db, row.workspace_id)?.slug ?? '',
  kind: row.kind,
  provider: row.provider,
  name: row.name,
  config: configOf(row),
  has_secret: row.secret !== null,
  enabled: row.enabled === 1,
  status: statusOf(row),
  last_checked_at: row.last_checked_at,
  last_error: row.last_error,
  offered_models: row.offered_models === null ? [] : (JSON.parse(row.offered_models) as string[]),
  created_by: row.created_by === null ? null : actorOf(hearth, row.created_by),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Throws 404 for an unknown integration and for one of another workspace. */
export function requireIntegration(db: Db, workspace_id: string, id: string): IntegrationRow {
  const row = findIntegration(db, id)
  if (row?.workspace_id !== workspace_id) throw notFound(`the integration ${id}`)
  return row
}

/** The address that an integration connects to, for the audit log. */
const hostOf = (config: Readonly<Record<string, unknown>>): string | null =>
  typeof config.base_url === 'string' ? (URL.parse(config.base_url)?.host ?? null) : null

/** The audited facts of an integration, without its secret. */
export const auditedFacts = (row: IntegrationRow): Record<string, unknown> => ({
  provider: row.provider,
  name: row.name,
  host: hostOf(configOf(row)),
  enabled: row.enabled === 1,
  has_secret: row.secret !== null,
})

export const auditIntegration = (
  tx: Tx,
  action: string,
  row: Pick<IntegrationRow, 'id' | 'name' | 'workspace_id'>,
  data: Record<string, unknown>,
): void =>
  tx.audit({
    action,
    target: { kind: 'integration', id: row.id, name: row.name },
    workspace_id: row.workspace_id,
    data,
  })
