/**
 * Maintains `repositories_count` from repository events. The reactions name the events as text,
 * because repositories come after workspaces in the order of features and must not be imported.
 */
import type { EventRow, Reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { findWorkspace, setRepositoriesCount } from './store.ts'

const countOn = (on: string, by: 1 | -1): Reaction => ({
  on,
  name: 'count_repositories',
  run: (tx, event) => setRepositoriesCount(tx.db, event.workspace_id, by),
})

function countTransfer(tx: Tx, { data }: EventRow): void {
  const from = findWorkspace(tx.db, String(data.previous_workspace))
  const to = findWorkspace(tx.db, String(data.workspace))
  if (from) setRepositoriesCount(tx.db, from.id, -1)
  if (to) setRepositoriesCount(tx.db, to.id, 1)
}

export const countRepositories: readonly Reaction[] = [
  countOn('repo.created', 1),
  countOn('repo.deleted', -1),
  countOn('repo.restored', 1),
  { on: 'repo.transferred', name: 'count_repositories', run: countTransfer },
]
