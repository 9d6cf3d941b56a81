/** What a workspace takes, and how far it may grow. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import {
  GROWING,
  usageParts,
  workspaceById,
  type Growing,
  type UsagePart,
} from '#features/workspaces/index.ts'
import { bytesText } from '#lib/bytes-text.ts'
import { forbidden } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import type { Quota, Usage } from './schema.ts'
import { countMembers, countReposBytes, countRepositories, findQuota } from './store.ts'

function counted(hearth: Hearth, db: Db, workspace_id: string, part: UsagePart): number {
  const month = `${timestamp(hearth.clock.now()).slice(0, 7)}-01`
  return usageParts
    .all(hearth)
    .filter((one) => one.part === part)
    .reduce((sum, { count }) => sum + count(db, workspace_id, month), 0)
}

function usedOf(hearth: Hearth, db: Db, workspace_id: string, what: Growing): number {
  if (what === 'repos_bytes') return countReposBytes(db, workspace_id)
  if (what === 'repositories') return countRepositories(db, workspace_id)
  if (what === 'members') return countMembers(db, workspace_id)
  return counted(hearth, db, workspace_id, what === 'run_minutes' ? 'run_minutes_this_month' : what)
}

export function usageOf(hearth: Hearth, workspace_id: string): Usage {
  const { db } = hearth
  const quota = findQuota(db, workspace_id)
  const limited = (what: Growing) => ({
    used: usedOf(hearth, db, workspace_id, what),
    limit: quota?.[what] ?? null,
  })
  return {
    repos_bytes: limited('repos_bytes'),
    lfs_bytes: limited('lfs_bytes'),
    packages_bytes: limited('packages_bytes'),
    artifacts_bytes: limited('artifacts_bytes'),
    caches_bytes: { used: counted(hearth, db, workspace_id, 'caches_bytes'), limit: null },
    repositories: limited('repositories'),
    members: limited('members'),
    run_minutes_this_month: limited('run_minutes'),
    agent_usd_this_month: {
      used: counted(hearth, db, workspace_id, 'agent_usd_this_month'),
      limit: null,
    },
  }
}

export function quotaRecord(db: Db, workspace: { id: string; slug: string }): Quota {
  const row = findQuota(db, workspace.id)
  const limits = Object.fromEntries(GROWING.map((name) => [name, row?.[name] ?? null])) as Record<
    Growing,
    number | null
  >
  return { workspace: workspace.slug, ...limits, updated_at: row?.updated_at ?? null }
}

const WORDS: Readonly<Record<Growing, string>> = {
  repos_bytes: 'of repositories',
  lfs_bytes: 'of large files',
  packages_bytes: 'of packages',
  artifacts_bytes: 'of files of releases',
  repositories: 'repositories',
  members: 'members',
  run_minutes: 'minutes of runs this month',
}

/**
 * The answer to the point of workspaces: gives 403 `quota` when it would have more than its quota.
 */
export function requireWithinQuota(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  what: Growing,
  by: number,
): void {
  const limit = findQuota(db, workspace_id)?.[what] ?? null
  if (limit === null) return
  const used = usedOf(hearth, db, workspace_id, what)
  if (used + by <= limit) return
  const slug = workspaceById(db, workspace_id)?.slug ?? 'this workspace'
  const text = what.endsWith('_bytes') ? bytesText : String
  throw forbidden(
    'quota',
    `${slug} may have ${text(limit)} ${WORDS[what]} and has ${text(used)}; ${text(by)} more ${by === 1 ? 'does' : 'do'} not fit. Remove some, or ask an administrator of the site for more`,
    {
      quota: what,
      limit,
      used,
      wanted: by,
    },
  )
}
