import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { socketOf } from '#lib/outbound/outbound.ts'
import { notFound } from '#lib/errors.ts'
import type { Integration, ModelSpeed } from './schema.ts'
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
  speed: row.speed === null ? null : (JSON.parse(row.speed) as ModelSpeed),
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

/** The host or the socket that an integration connects to, for the audit log. */
function hostOf({ base_url }: Readonly<Record<string, unknown>>): string | null {
  if (typeof base_url !== 'string') return null
  return socketOf(base_url) === null ? (URL.parse(base_url)?.host ?? null) : base_url
}

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
