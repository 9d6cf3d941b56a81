/** Extension points of workspaces for later features. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { extensionPoint } from '#core/extension-points.ts'

/** The resources of a workspace that a quota can limit. */
export const QUOTA_RESOURCES = [
  'repos_bytes',
  'lfs_bytes',
  'packages_bytes',
  'artifacts_bytes',
  'actions_bytes',
  'repositories',
  'members',
  'run_minutes',
] as const
export type QuotaResource = (typeof QUOTA_RESOURCES)[number]

/**
 * Checks that run before a workspace grows. They throw 403 `quota` when the growth exceeds a quota.
 * Reading and deleting run no check.
 */
export const quotaChecks =
  extensionPoint<
    (hearth: Hearth, db: Db, workspace_id: string, resource: QuotaResource, by: number) => void
  >('workspaces.growth')

export function requireQuota(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  resource: QuotaResource,
  by: number,
): void {
  for (const ask of quotaChecks.all(hearth)) ask(hearth, db, workspace_id, resource, by)
}

/** How much more of a resource fits into a quota; null when no quota limits it. */
export const quotaRooms =
  extensionPoint<
    (hearth: Hearth, db: Db, workspace_id: string, resource: QuotaResource) => number | null
  >('workspaces.room')

/** How much more of a resource a workspace may have; less than 0 when it has too much already. */
export function quotaRoom(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  resource: QuotaResource,
): number | null {
  const rooms = quotaRooms
    .all(hearth)
    .flatMap((roomOf) => roomOf(hearth, db, workspace_id, resource) ?? [])
  return rooms.length === 0 ? null : Math.min(...rooms)
}

/** The refusal of `requireQuota` in words; null when the quota allows it. */
export function findQuotaProblem(
  hearth: Hearth,
  workspace_id: string,
  resource: QuotaResource,
  by: number,
): string | null {
  try {
    requireQuota(hearth, hearth.db, workspace_id, resource, by)
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.message
  }
}

/**
 * Work to finish before a workspace is deleted, such as removing what is left of purged
 * repositories. It can be interrupted and repeated.
 */
export const workspaceCleanups =
  extensionPoint<(hearth: Hearth, workspace_id: string) => Promise<void>>('workspaces.cleanups')

/**
 * What prevents the deletion of a workspace besides repositories: how many there are, and what they
 * are called in the plural.
 */
export const workspaceContents =
  extensionPoint<
    (db: Db, workspace_id: string) => { readonly count: number; readonly what: string }
  >('workspaces.contents')

/**
 * What features count for workspaces besides repositories and members. `count` returns a number for
 * each workspace that has any. Monthly counters cover the current month.
 */
export type UsageCounter =
  | 'lfs_bytes'
  | 'packages_bytes'
  | 'artifacts_bytes'
  | 'actions_bytes'
  | 'caches_bytes'
  | 'run_minutes_this_month'
  | 'agent_usd_this_month'
export const usageCounters = extensionPoint<{
  readonly part: UsageCounter
  readonly count: (
    db: Db,
    workspace_ids: readonly string[],
    month: string,
  ) => ReadonlyMap<string, number>
}>('workspaces.usage_parts')
