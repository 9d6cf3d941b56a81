/** Records of audit log rows, with one query for all actors of a page. */
import type { AuditRow } from '#core/audit.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import type { Actor } from '#core/schema.ts'
import { actorsOf } from '#features/accounts/index.ts'
import { fullName, preloadRepos, repoById } from '#features/repos/index.ts'
import { preloadWorkspaces, workspaceById } from '#features/workspaces/index.ts'
import type { AuditEntry } from './schema.ts'

export function auditRecords(hearth: Hearth, rows: readonly AuditRow[]): AuditEntry[] {
  const actors = new Map(
    actorsOf(hearth, [
      ...new Set(rows.flatMap((row) => [row.actor_id ?? [], row.on_behalf_of ?? []].flat())),
    ]).map((actor) => [actor.id, actor]),
  )
  return readScope(hearth.db, () => {
    preloadNames(hearth.db, rows)
    return rows.map((row) => recordOf(hearth, row, actors))
  })
}

/** Preloads the repositories and workspaces whose names the entries show. */
function preloadNames(db: Db, rows: readonly AuditRow[]): void {
  const ids = rows.flatMap(({ repo_id }) => repo_id ?? [])
  preloadRepos(db, ids)
  const repos = ids.flatMap((id) => repoById(db, id) ?? [])
  preloadRepos(
    db,
    repos.flatMap(({ parent_id }) => parent_id ?? []),
  )
  preloadWorkspaces(db, [
    ...rows.flatMap(({ workspace_id }) => workspace_id ?? []),
    ...repos.map(({ workspace_id }) => workspace_id),
  ])
}

function recordOf(hearth: Hearth, row: AuditRow, actors: ReadonlyMap<string, Actor>): AuditEntry {
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
    workspace:
      row.workspace_id === null ? null : (workspaceById(hearth.db, row.workspace_id)?.slug ?? null),
    repository: row.repo_id === null ? null : fullName(hearth.db, row.repo_id) || null,
    data: JSON.parse(row.data) as Record<string, unknown>,
    request_id: row.request_id,
    prev: row.prev,
  }
}
