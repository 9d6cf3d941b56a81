/**
 * Every event goes to the webhooks that listen: those of its repository, and those of the workspace
 * that this is in.
 */
import { reactionToAll, type EventRow } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { repoPurged, repoTransferred } from '#features/repos/events.ts'
import { repoById } from '#features/repos/index.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { deliver } from './deliveries.ts'
import { listensTo } from './request.ts'
import { listHooksOfRepo, listListening, setRemoved, type HookRow } from './store.ts'

function listenersOf(tx: Tx, event: EventRow): HookRow[] {
  const hooks = listListening(tx.db, event.repo_id, event.workspace_id)
  // The workspace that a repository leaves is told too, or it would wait for news of it for ever.
  const before =
    event.type === repoTransferred.type
      ? findWorkspace(tx.db, String(event.data['previous_workspace']))
      : null
  if (before) hooks.push(...listListening(tx.db, null, before.id))
  return hooks.filter((hook) => listensTo(hook, event.type))
}

export const followEvents = reactionToAll('deliver_to_webhooks', (tx, event) => {
  const hooks = listenersOf(tx, event)
  // The fork of a pull request is no repository of its own: what is pushed there is told as a
  // change of the pull request.
  const isFork =
    hooks.length > 0 && event.repo_id !== null && repoById(tx.db, event.repo_id)?.parent_id !== null
  if (hooks.length > 0 && !isFork) deliver(tx, hooks, event)
  // Its webhooks hear of the end, and go when that has been delivered.
  if (event.type === repoPurged.type && event.repo_id !== null)
    for (const hook of listHooksOfRepo(tx.db, event.repo_id)) setRemoved(tx, hook.id)
})
