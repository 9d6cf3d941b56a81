/** Accounts as site administrators see and change them. */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { avatarUrl } from '../people/actors.ts'
import type { SiteUser } from '../schema.ts'
import { countAdmins, findSiteUser, type SiteUserRow } from '../store/user-settings.ts'

export const siteUser = (hearth: Pick<Hearth, 'settings'>, row: SiteUserRow): SiteUser => ({
  id: row.id,
  kind: 'user',
  username: row.username,
  name: row.name,
  avatar_url: avatarUrl(hearth, row.id),
  html_url: `${hearth.settings.site_url}/${row.username}`,
  email: row.email,
  verified: row.verified_at !== null,
  two_factor_enabled: row.two_factor_enabled === 1,
  site_admin: row.site_admin === 1,
  state:
    row.suspended_at !== null ? 'suspended' : row.verified_at === null ? 'unconfirmed' : 'active',
  suspended_at: row.suspended_at,
  suspended_reason: row.suspended_reason,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Throws 404 for an unknown username. */
export function requireSiteUser(db: Hearth['db'], username: string): SiteUserRow {
  const row = findSiteUser(db, username)
  if (!row) throw notFound(`the person ${username}`)
  return row
}

/** Throws 409 `not_available` when the site would have no active administrator left. */
export function requireAnotherAdmin(tx: Tx, row: SiteUserRow): void {
  if (row.site_admin === 1 && row.suspended_at === null && countAdmins(tx.db) === 1) {
    throw conflict('not_available', `${row.username} is the last site administrator`)
  }
}
