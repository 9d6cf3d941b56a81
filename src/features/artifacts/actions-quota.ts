/**
 * The quota `actions_bytes` of a workspace: artifacts, caches and logs together. A new file that
 * does not fit takes the place of caches, those that were not used for longest first. Logs are never
 * refused.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { storedBytesCounter } from '#features/repos/index.ts'
import { quotaRoom, requireQuota } from '#features/workspaces/index.ts'
import { evictWorkspaceCaches } from './store-caches.ts'

const countCacheBytes = storedBytesCounter('caches')

/** Throws 403 `quota` when so many bytes do not fit, even without any cache. */
export function requireActionsQuota(
  hearth: Hearth,
  db: Db,
  workspace_id: string,
  bytes: number,
): void {
  const room = quotaRoom(hearth, db, workspace_id, 'actions_bytes')
  if (room === null || bytes <= room) return
  const cacheBytes = countCacheBytes(db, [workspace_id]).get(workspace_id) ?? 0
  if (bytes <= room + cacheBytes) return
  requireQuota(hearth, db, workspace_id, 'actions_bytes', bytes)
}

/** Deletes caches until so many bytes more fit. They must fit: see `requireActionsQuota`. */
export function evictCachesOverQuota(tx: Tx, workspace_id: string, bytes: number): void {
  const room = quotaRoom(tx.hearth, tx.db, workspace_id, 'actions_bytes')
  if (room !== null && bytes > room) evictWorkspaceCaches(tx, workspace_id, bytes - room)
}
