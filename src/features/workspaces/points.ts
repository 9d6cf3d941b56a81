/** Where features that come later have a say in workspaces. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { point } from '#core/points.ts'

/** What a workspace can have too much of. */
export const GROWING = [
  'repos_bytes',
  'lfs_bytes',
  'packages_bytes',
  'artifacts_bytes',
  'repositories',
  'members',
  'run_minutes',
] as const
export type Growing = (typeof GROWING)[number]

/**
 * Asked before a workspace grows; gives 403 `quota` when it may not by so much. Never asked for
 * reading or taking away.
 */
export const growth =
  point<(hearth: Hearth, db: Db, workspace_id: string, what: Growing, by: number) => void>(
    'workspaces.growth',
  )

export function requireRoomToGrow(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  what: Growing,
  by: number,
): void {
  for (const ask of growth.all(hearth)) ask(hearth, db, workspace_id, what, by)
}

/**
 * What features count of a workspace besides repositories and members, of this month where it is by
 * the month.
 */
export type UsagePart =
  | 'lfs_bytes'
  | 'packages_bytes'
  | 'artifacts_bytes'
  | 'caches_bytes'
  | 'run_minutes_this_month'
  | 'agent_usd_this_month'
export const usageParts = point<{
  readonly part: UsagePart
  readonly count: (db: Db, workspace_id: string, month: string) => number
}>('workspaces.usage_parts')
