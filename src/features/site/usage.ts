/** The usage of a workspace and its quotas. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import {
  QUOTA_RESOURCES,
  usageCounters,
  workspaceById,
  type QuotaResource,
  type UsageCounter,
} from '#features/workspaces/index.ts'
import { bytesText } from '#lib/bytes-text.ts'
import { forbidden } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import type { Quota, Usage } from './schema.ts'
import { countMembers, countReposBytes, countRepositories, findQuota } from './store.ts'

function countUsage(hearth: Hearth, db: Db, workspace_id: string, part: UsageCounter): number {
  const month = `${timestamp(hearth.clock.now()).slice(0, 7)}-01`
  return usageCounters
    .all(hearth)
    .filter((one) => one.part === part)
    .reduce((sum, { count }) => sum + count(db, workspace_id, month), 0)
}

function countUsed(hearth: Hearth, db: Db, workspace_id: string, resource: QuotaResource): number {
  if (resource === 'repos_bytes') return countReposBytes(db, workspace_id)
  if (resource === 'repositories') return countRepositories(db, workspace_id)
  if (resource === 'members') return countMembers(db, workspace_id)
  return countUsage(
    hearth,
    db,
    workspace_id,
    resource === 'run_minutes' ? 'run_minutes_this_month' : resource,
  )
}

export function usageOf(hearth: Hearth, workspace_id: string): Usage {
  const { db } = hearth
  const quota = findQuota(db, workspace_id)
  const limited = (resource: QuotaResource) => ({
    used: countUsed(hearth, db, workspace_id, resource),
    limit: quota?.[resource] ?? null,
  })
  return {
    repos_bytes: limited('repos_bytes'),
    lfs_bytes: limited('lfs_bytes'),
    packages_bytes: limited('packages_bytes'),
    artifacts_bytes: limited('artifacts_bytes'),
    actions_bytes: limited('actions_bytes'),
    caches_bytes: { used: countUsage(hearth, db, workspace_id, 'caches_bytes'), limit: null },
    repositories: limited('repositories'),
    members: limited('members'),
    run_minutes_this_month: limited('run_minutes'),
    agent_usd_this_month: {
      used: countUsage(hearth, db, workspace_id, 'agent_usd_this_month'),
      limit: null,
    },
  }
}

export function quotaRecord(db: Db, workspace: { id: string; slug: string }): Quota {
  const row = findQuota(db, workspace.id)
  const limits = Object.fromEntries(
    QUOTA_RESOURCES.map((name) => [name, row?.[name] ?? null]),
  ) as Record<QuotaResource, number | null>
  return { workspace: workspace.slug, ...limits, updated_at: row?.updated_at ?? null }
}

const RESOURCE_DESCRIPTIONS: Readonly<Record<QuotaResource, string>> = {
  repos_bytes: 'of repositories',
  lfs_bytes: 'of large files',
  packages_bytes: 'of packages',
  artifacts_bytes: 'of files of releases',
  actions_bytes: 'of artifacts, caches and logs of workflows',
  repositories: 'repositories',
  members: 'members',
  run_minutes: 'minutes of runs this month',
}

/** The extension of `quotaRooms`. */
export function findQuotaRoom(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  resource: QuotaResource,
): number | null {
  const limit = findQuota(db, workspace_id)?.[resource] ?? null
  return limit === null ? null : limit - countUsed(hearth, db, workspace_id, resource)
}

/** The extension of `quotaChecks`. Throws 403 `quota` when the growth would exceed the quota. */
export function requireWithinQuota(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  resource: QuotaResource,
  by: number,
): void {
  const limit = findQuota(db, workspace_id)?.[resource] ?? null
  if (limit === null) return
  const used = countUsed(hearth, db, workspace_id, resource)
  if (used + by <= limit) return
  const slug = workspaceById(db, workspace_id)?.slug ?? 'this workspace'
  const text = resource.endsWith('_bytes') ? bytesText : String
  throw forbidden(
    'quota',
    `${slug} may have ${text(limit)} ${RESOURCE_DESCRIPTIONS[resource]} and has ${text(used)}; ${text(by)} more would not fit. Remove some, or ask an administrator of the site for more`,
    {
      quota: resource,
      limit,
      used,
      wanted: by,
    },
  )
}
