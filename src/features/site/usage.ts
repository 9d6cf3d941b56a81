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
import { countMembers, countReposBytes, countRepositories, findQuota, listQuotas } from './store.ts'

type Counts = ReadonlyMap<string, number>

/** Counts one part for each of the workspaces. */
function countPart(
  hearth: Hearth,
  db: Db,
  workspace_ids: readonly string[],
  part: UsageCounter,
): Counts {
  const month = `${timestamp(hearth.clock.now()).slice(0, 7)}-01`
  const counts = new Map<string, number>()
  for (const counter of usageCounters.all(hearth)) {
    if (counter.part !== part) continue
    for (const [id, count] of counter.count(db, workspace_ids, month))
      counts.set(id, (counts.get(id) ?? 0) + count)
  }
  return counts
}

function countResource(
  hearth: Hearth,
  db: Db,
  workspace_ids: readonly string[],
  resource: QuotaResource,
): Counts {
  if (resource === 'repos_bytes') return countReposBytes(db, workspace_ids)
  if (resource === 'repositories') return countRepositories(db, workspace_ids)
  if (resource === 'members') return countMembers(db, workspace_ids)
  const part = resource === 'run_minutes' ? 'run_minutes_this_month' : resource
  return countPart(hearth, db, workspace_ids, part)
}

const countUsed = (hearth: Hearth, db: Db, workspace_id: string, resource: QuotaResource): number =>
  countResource(hearth, db, [workspace_id], resource).get(workspace_id) ?? 0

/** Reads the usage of workspaces. The returned function gives that of each. */
export function readUsage(
  hearth: Hearth,
  workspace_ids: readonly string[],
): (workspace_id: string) => Usage {
  const { db } = hearth
  const quotas = listQuotas(db, workspace_ids)
  const used = new Map(
    QUOTA_RESOURCES.map((resource) => [
      resource,
      countResource(hearth, db, workspace_ids, resource),
    ]),
  )
  const caches = countPart(hearth, db, workspace_ids, 'caches_bytes')
  const costs = countPart(hearth, db, workspace_ids, 'agent_usd_this_month')
  return (id) => {
    const limited = (resource: QuotaResource) => ({
      used: used.get(resource)?.get(id) ?? 0,
      limit: quotas.get(id)?.[resource] ?? null,
    })
    return {
      repos_bytes: limited('repos_bytes'),
      lfs_bytes: limited('lfs_bytes'),
      packages_bytes: limited('packages_bytes'),
      artifacts_bytes: limited('artifacts_bytes'),
      actions_bytes: limited('actions_bytes'),
      caches_bytes: { used: caches.get(id) ?? 0, limit: null },
      repositories: limited('repositories'),
      members: limited('members'),
      run_minutes_this_month: limited('run_minutes'),
      agent_usd_this_month: { used: costs.get(id) ?? 0, limit: null },
    }
  }
}

export function quotaRecord(db: Db, workspace: { id: string; slug: string }): Quota {
  const row = findQuota(db, workspace.id)
  const limits = Object.fromEntries(
    QUOTA_RESOURCES.map((name) => [name, row?.[name] ?? null]),
  ) as Record<QuotaResource, number | null>
  return { workspace: workspace.slug, ...limits, updated_at: row?.updated_at ?? null }
}

const RESOURCE_DESCRIPTIONS: Readonly<Record<Exclude<QuotaResource, 'run_minutes'>, string>> = {
  repos_bytes: 'of repositories',
  lfs_bytes: 'of large files',
  packages_bytes: 'of packages',
  artifacts_bytes: 'of files of releases',
  actions_bytes: 'of artifacts, caches and logs of workflows',
  repositories: 'repositories',
  members: 'members',
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
  const details = { quota: resource, limit, used, wanted: by }
  if (resource === 'run_minutes')
    throw forbidden(
      'quota',
      `${slug} has used ${used} of its ${limit} minutes of runs this month. Jobs begin again next month; an administrator of the site can give it more`,
      details,
    )
  const text = resource.endsWith('_bytes') ? bytesText : String
  throw forbidden(
    'quota',
    `${slug} may have ${text(limit)} ${RESOURCE_DESCRIPTIONS[resource]} and has ${text(used)}; ${text(by)} more would not fit. Remove some, or ask an administrator of the site for more`,
    details,
  )
}
