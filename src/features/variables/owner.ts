/** The owner of variables and secrets: a repository or a workspace. */
import { eitherAs } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Owner, OwnerGrants } from '#core/owner.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import type { Kind } from './schema.ts'
import { listRowsOfName, type SettingRow } from './store.ts'

/** Names and the values of variables: members, or Write. */
export const readsSettings = eitherAs('write', 'member', { scope: 'secrets:read' })
export const writesVariables = eitherAs('admin', 'owner', { scope: 'secrets:admin', writes: true })
export const writesSecrets = eitherAs('admin', 'owner', {
  scope: 'secrets:admin',
  writes: true,
  person: true,
})

/** The routes below both owners for one method. */
export const settingRoutes = (method: string, path: string): readonly string[] => [
  `${method} /workspaces/{workspace}/actions/${path}`,
  `${method} /repos/{owner}/{name}/actions/${path}`,
]

/** The rows of a name; throws 404 without one, or without the one with this id. */
export function requireRows(
  db: Db,
  owner: Owner,
  { kind, name, id }: { kind: Kind; name: string; id?: string | undefined },
): readonly SettingRow[] {
  const rows = listRowsOfName(db, owner, kind, name.toUpperCase())
  const found = id === undefined ? rows : rows.filter((row) => row.id === id)
  if (found.length === 0)
    throw notFound(id === undefined ? `the ${kind} ${name}` : `the ${kind} ${name} with id ${id}`)
  return found
}

/** Neither the value of a variable nor that of a secret is in the audit log. */
export const auditSetting = (
  tx: Tx,
  action: 'set' | 'updated' | 'deleted',
  row: SettingRow,
  { repo, workspace }: OwnerGrants,
): void =>
  tx.audit({
    action: `${row.kind}.${action}`,
    target: { kind: row.kind, id: row.id, name: row.name },
    workspace_id: repo?.workspace_id ?? workspace?.id ?? null,
    repo_id: repo?.id ?? null,
    data: {
      available_to: JSON.parse(row.available_to) as string[],
      environments: JSON.parse(row.environments) as string[],
      projects: JSON.parse(row.projects) as string[],
    },
  })
