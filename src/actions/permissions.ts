/** The rights of a job's token. */
import { PERMISSION_LEVELS, type PermissionLevel, type Permissions } from './model.ts'

/** Scopes that mean something here. */
export const PERMISSION_SCOPES = [
  'actions',
  'checks',
  'contents',
  'deployments',
  'id-token',
  'issues',
  'packages',
  'pull-requests',
  'security-events',
  'statuses',
] as const
/** A token without any statement reads. */
const DEFAULT_PERMISSIONS: Permissions = { all: 'read' }

const rank = (level: PermissionLevel): number => PERMISSION_LEVELS.indexOf(level)

export function levelFor(permissions: Permissions | null, scope: string): PermissionLevel {
  const given = permissions ?? DEFAULT_PERMISSIONS
  if ('all' in given) return scope === 'id-token' && given.all === 'read' ? 'none' : given.all
  return (Object.hasOwn(given.scopes, scope) ? given.scopes[scope] : undefined) ?? 'none'
}

/** What both allow: a called workflow gets no more than its caller. */
export function intersectPermissions(
  caller: Permissions | null,
  callee: Permissions | null,
): Permissions | null {
  if (callee === null || caller === null) return callee ?? caller
  if ('all' in caller && 'all' in callee)
    return rank(caller.all) < rank(callee.all) ? caller : callee
  return {
    scopes: Object.fromEntries(
      PERMISSION_SCOPES.map((scope): [string, PermissionLevel] => {
        const [a, b] = [levelFor(caller, scope), levelFor(callee, scope)]
        return [scope, rank(a) < rank(b) ? a : b]
      }),
    ),
  }
}

/** The first scope for which a callee asks for more than its caller has; null when there is none. */
export function excessPermission(
  caller: Permissions | null,
  callee: Permissions | null,
): { scope: string; asked: PermissionLevel; allowed: PermissionLevel } | null {
  if (callee === null) return null
  for (const scope of PERMISSION_SCOPES) {
    const [allowed, asked] = [levelFor(caller, scope), levelFor(callee, scope)]
    if (rank(asked) > rank(allowed)) return { scope, asked, allowed }
  }
  return null
}
