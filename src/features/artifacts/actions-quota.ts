/**
 * The quota `actions_bytes` of a workspace: artifacts, caches and logs together. A new file that
 * does not fit takes the place of caches, those that were not used for longest first. Logs are never
 * refused.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { quotaRoom, requireQuota } from '#features/workspaces/index.ts'
import { countCacheBytes, evictWorkspaceCaches } from './store-caches.ts'

/** Throws 403 `quota` when so many bytes do not fit, even without any cache. */
export function requireActionsQuota(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  bytes: number,
): void {
  const room = quotaRoom(hearth, db, workspace_id, 'actions_bytes')
  if (room === null || bytes <= room || bytes <= room + countCacheBytes(db, workspace_id)) return
  requireQuota(hearth, db, workspace_id, 'actions_bytes', bytes)
}

/** Deletes caches until so many bytes more fit. They must fit: see `requireActionsQuota`. */
export function evictCachesOverQuota(tx: Tx, workspace_id: string, bytes: number): void {
  const room = quotaRoom(tx.hearth, tx.db, workspace_id, 'actions_bytes')
  if (room !== null && bytes > room) evictWorkspaceCaches(tx, workspace_id, bytes - room)
}
