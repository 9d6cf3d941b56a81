/** Alerts of dependencies as clients see them. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import type { DependencyAlert } from './schema.ts'
import { findDependencyAlert, type DependencyAlertRow } from './store-alerts.ts'

/** Throws 404 for an alert of another repository. */
export function requireDependencyAlert(
  db: Db,
  repo: Pick<RepoGrant, 'id'>,
  id: string,
): DependencyAlertRow {
  const row = findDependencyAlert(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the alert ${id}`)
  return row
}

export const dependencyAlertRecord = (
  hearth: Hearth,
  repo: Pick<RepoGrant, 'full_name'>,
  row: DependencyAlertRow,
): DependencyAlert => ({
  id: row.id,
  state: row.state,
  package: {
    type: row.ecosystem,
    name: row.package,
    version: row.version,
    scope: row.scope,
    direct: row.is_direct === null ? null : row.is_direct === 1,
  },
  advisory: {
    id: row.advisory_id,
    summary: row.summary,
    severity: row.severity,
    aliases: JSON.parse(row.aliases) as string[],
    url: row.url,
  },
  manifest: row.manifest,
  fixed_in: row.fixed_in,
  created_at: row.created_at,
  fixed_at: row.fixed_at,
  fixed_by: row.fixed_by,
  dismissed_by: actorOf(hearth, row.dismissed_by),
  dismissed_at: row.dismissed_at,
  dismissed_reason: row.dismissed_reason,
  dismissed_note: row.dismissed_note,
  html_url: `${hearth.settings.site_url}/${repo.full_name}/security/dependency-alerts/${row.id}`,
})
