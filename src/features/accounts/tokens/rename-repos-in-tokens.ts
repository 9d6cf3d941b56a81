/**
 * Updates the repository names that tokens show. The reactions name their events as text, because
 * repositories come after accounts in the order of features.
 */
import type { Reaction } from '#core/events.ts'
import { findActorByName } from '../store/actors.ts'
import { setTokenRepoName } from '../store/tokens.ts'

export const renameReposInTokens: readonly Reaction[] = [
  {
    on: 'repo.renamed',
    name: 'rename_in_tokens',
    run: (tx, { repo_id, data }) => {
      if (repo_id !== null) setTokenRepoName(tx.db, repo_id, { name: String(data.name) })
    },
  },
  {
    on: 'repo.transferred',
    name: 'move_in_tokens',
    run: (tx, { repo_id, data }) => {
      const workspace = findActorByName(tx.db, 'workspace', String(data.workspace))
      if (repo_id !== null && workspace)
        setTokenRepoName(tx.db, repo_id, { workspace_id: workspace.id })
    },
  },
]
