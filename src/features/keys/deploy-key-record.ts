import type { Hearth } from '#core/hearth.ts'
import { loadActors } from '#features/accounts/index.ts'
import type { DeployKey } from './schema.ts'
import type { DeployKeyRow } from './store-deploy-keys.ts'

export function deployKeyRecords(hearth: Hearth, rows: readonly DeployKeyRow[]): DeployKey[] {
  const actor = loadActors(
    hearth,
    rows.map(({ created_by }) => created_by),
  )
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    read_only: row.read_only === 1,
    key: `${row.algorithm} ${row.key}`,
    fingerprint: row.fingerprint,
    created_by: actor(row.created_by),
    created_at: row.created_at,
    last_used_at: row.last_used_at,
  }))
}
