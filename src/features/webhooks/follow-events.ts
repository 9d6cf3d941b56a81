/** Queues every event for the webhooks of its repository and of the workspace. */
import { reactionToAll, type EventRow } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { repoPurged, repoTransferred } from '#features/repos/events.ts'
import { repoById } from '#features/repos/index.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { deliver } from './deliveries.ts'
import { isSubscribed } from './request-headers.ts'
import { listHooksOfRepo, listSubscribers, setRemoved, type HookRow } from './store.ts'

function listSubscribed(tx: Tx, event: EventRow): HookRow[] {
  const hooks = listSubscribers(tx.db, event.repo_id, event.workspace_id)
  // A transfer is sent to the former workspace as well, which would otherwise never learn of it.
  const before =
    event.type === repoTransferred.type
      ? findWorkspace(tx.db, String(event.data.previous_workspace))
      : null
  if (before) hooks.push(...listSubscribers(tx.db, null, before.id))
  return hooks.filter((hook) => isSubscribed(hook, event.type))
}

export const followEvents = reactionToAll('deliver_to_webhooks', (tx, event) => {
  const hooks = listSubscribed(tx, event)
  // Events of a fork are not sent; a push to it is sent as a change of the pull request.
  const isFork =
    hooks.length > 0 && event.repo_id !== null && repoById(tx.db, event.repo_id)?.parent_id !== null
  if (hooks.length > 0 && !isFork) deliver(tx, hooks, event)
  // Webhooks of a purged repository receive the last event and are removed after its delivery.
  if (event.type === repoPurged.type && event.repo_id !== null)
    for (const hook of listHooksOfRepo(tx.db, event.repo_id)) setRemoved(tx, hook.id)
})
