/** Records of audit log rows, with one query for all actors of a page. */
import type { AuditRow } from '#core/audit.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorsOf } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import type { AuditEntry } from './schema.ts'

export function auditRecords(hearth: Hearth, rows: readonly AuditRow[]): AuditEntry[] {
  const actors = new Map(
    actorsOf(hearth, [
      ...new Set(rows.flatMap((row) => [row.actor_id ?? [], row.on_behalf_of ?? []].flat())),
    ]).map((actor) => [actor.id, actor]),
  )
  const names = new Map<string, string | null>()
  const once = (id: string | null, find: (id: string) => string | null): string | null => {
    if (id === null) return null
    if (!names.has(id)) names.set(id, find(id))
    return names.get(id) ?? null
  }
  return rows.map((row) => {
    const person = row.on_behalf_of === null ? undefined : actors.get(row.on_behalf_of)
    return {
      id: row.id,
      time: row.time,
      actor: row.actor_id === null ? null : (actors.get(row.actor_id) ?? null),
      on_behalf_of: person ? { id: person.id, username: person.username } : null,
      token_id: row.token_id,
      ip: row.ip,
      user_agent: row.user_agent,
      action: row.action,
      target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
      workspace: once(row.workspace_id, (id) => workspaceById(hearth.db, id)?.slug ?? null),
      repository: once(row.repo_id, (id) => fullName(hearth.db, id) || null),
      data: JSON.parse(row.data) as Record<string, unknown>,
      request_id: row.request_id,
      prev: row.prev,
    }
  })
}
