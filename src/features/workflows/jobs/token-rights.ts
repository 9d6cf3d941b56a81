/** What `permissions` of a job mean for its token: scopes and the highest role. */
import type { Role } from '#core/caller.ts'
import { includesScope, STATUS_SCOPE } from '#core/scopes.ts'
import { intersectPermissions, levelFor, PERMISSION_SCOPES, type Permissions } from '#actions'

export type TokenRights = { readonly scopes: readonly string[]; readonly role: Role }

/** The scopes that a permission gives to read, and further ones to write. */
const SCOPES_OF: Readonly<Record<string, { read: readonly string[]; write: readonly string[] }>> = {
  actions: { read: ['workflows:read'], write: ['workflows:write'] },
  checks: { read: ['code:read'], write: [STATUS_SCOPE] },
  contents: { read: ['code:read'], write: ['code:write', 'repo:write'] },
  deployments: { read: ['workflows:read'], write: [] },
  'id-token': { read: [], write: [] },
  issues: { read: ['issues:read'], write: ['issues:write'] },
  packages: { read: ['packages:read'], write: ['packages:write'] },
  'pull-requests': { read: ['pulls:read'], write: ['pulls:write'] },
  'security-events': { read: ['security:read'], write: ['security:write'] },
  statuses: { read: ['code:read'], write: [STATUS_SCOPE] },
}

const READ_ONLY: Permissions = { all: 'read' }

/** The permissions of a job in effect. Jobs of people without Write read at most. */
export const effectivePermissions = (
  permissions: Permissions | null,
  isTrusted: boolean,
): Permissions =>
  isTrusted
    ? (permissions ?? READ_ONLY)
    : (intersectPermissions(READ_ONLY, permissions) ?? READ_ONLY)

/** The permissions of a job by name, without those that are `none`. */
export const permissionLines = (permissions: Permissions): string[] =>
  PERMISSION_SCOPES.flatMap((name) => {
    const level = levelFor(permissions, name)
    return level === 'none' ? [] : [`${name}: ${level}`]
  })

/** What an agent may do, which a run that it started does not exceed. */
export type RightsLimit = { readonly scopes: readonly string[] | null; readonly role: Role | null }

export function rightsOf(permissions: Permissions, limit: RightsLimit | null): TokenRights {
  // The record of its repository is what every job reads.
  const scopes = new Set(['repo:read'])
  for (const name of PERMISSION_SCOPES) {
    const level = levelFor(permissions, name)
    const { read, write } = SCOPES_OF[name] ?? { read: [], write: [] }
    if (level !== 'none') for (const scope of read) scopes.add(scope)
    if (level === 'write') for (const scope of write) scopes.add(scope)
  }
  const known = limit?.scopes ?? null
  const allowed = [...scopes].filter((scope) => known === null || includesScope(known, scope))
  const writes = allowed.some((scope) => scope.endsWith(':write') || scope === STATUS_SCOPE)
  const mayWrite = limit === null || (limit.role !== 'read' && limit.role !== 'triage')
  return { scopes: allowed, role: writes && mayWrite ? 'write' : 'read' }
}
