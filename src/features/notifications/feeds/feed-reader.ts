/**
 * The caller of a feed token: its person, limited to reading public data, code, issues, advisories
 * and events.
 */
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { sha256 } from '#lib/hash.ts'
import { findFeedReader } from '../settings/store-settings.ts'

const SCOPES = ['repo:read', 'code:read', 'issues:read', 'security:read'] as const

/** Null for an unknown token and for a suspended person. */
export function feedReader({ db }: Pick<Hearth, 'db'>, secret: string): UserCaller | null {
  const id = findFeedReader(db, sha256(secret))
  const person = id === null ? null : userCaller(db, id)
  if (!person || person.suspended) return null
  return {
    ...person,
    token: {
      id: 'feed',
      name: 'feed',
      kind: 'user',
      scopes: SCOPES,
      repos: null,
      workspace: null,
      role: 'read',
      expires_at: null,
    },
  }
}
