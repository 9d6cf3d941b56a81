/** Alerts as records. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import type { SecretAlert } from './schema.ts'
import { findAlert, type AlertRow } from './store.ts'

export const alertUrl = (hearth: Hearth, full_name: string, id: string): string =>
  `${hearth.settings.site_url}/${full_name}/security/secrets/${id}`

export function alertRecord(hearth: Hearth, full_name: string, row: AlertRow): SecretAlert {
  return {
    id: row.id,
    state: row.state,
    type: row.type,
    label: row.label,
    preview: row.preview,
    validity: row.validity,
    resolution: row.resolution,
    resolved_by: actorOf(hearth, row.resolved_by),
    resolved_at: row.resolved_at,
    note: row.note,
    push_protection_bypassed: row.bypassed_at !== null,
    bypass:
      row.bypassed_at === null || row.bypass_reason === null
        ? null
        : { by: actorOf(hearth, row.bypassed_by), at: row.bypassed_at, reason: row.bypass_reason },
    locations_count: row.locations_count,
    first_found_at: row.created_at,
    created_at: row.created_at,
    html_url: alertUrl(hearth, full_name, row.id),
  }
}

/** Throws 404 for the fork of a pull request, whose alerts belong to its repository. */
export function requireAlertHome(repo: Pick<RepoGrant, 'parent_id' | 'full_name'>): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}

export function requireAlert(hearth: Hearth, repo: RepoGrant, id: string): AlertRow {
  requireAlertHome(repo)
  const row = findAlert(hearth.db, repo.id, id)
  if (!row) throw notFound(`the secret alert ${id}`)
  return row
}
