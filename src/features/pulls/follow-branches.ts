/**
 * Pull requests follow the branches that they come from and go into when those get another name. No
 * commit moves by it.
 */
import { reaction } from '#core/events.ts'
import { branchRenamed, repoById, setBranchPull } from '#features/repos/index.ts'
import { contextOf } from './context.ts'
import { noteOpenPulls } from './settle.ts'
import { findPullOfFork, requirePull, touchPull } from './store.ts'
import { listActiveNaming, renameBranchInPulls, renameHeadOfFork } from './store-branches.ts'
import { tellUpdated } from './tell-updated.ts'

export const followBranches = reaction(
  'pulls follow branches',
  branchRenamed,
  (tx, { repo_id, data: { previous, branch } }) => {
    const repo = repo_id === null ? null : repoById(tx.db, repo_id)
    if (!repo) return
    if (repo.parent_id !== null) {
      const pull = findPullOfFork(tx.db, repo.id)
      if (pull?.head_ref === previous) renameHeadOfFork(tx, pull.id, branch)
      return
    }
    const affected = listActiveNaming(tx.db, repo.id, previous)
    renameBranchInPulls(tx, repo.id, previous, branch)
    setBranchPull(tx, repo.id, previous, null)
    const context = contextOf(tx.db, repo.id)
    for (const before of affected) {
      touchPull(tx, repo.id, before.number)
      const pull = requirePull(tx.db, repo.id, before.number)
      noteOpenPulls(tx, pull)
      const changed = [
        ...(pull.branch !== before.branch ? ['branch'] : []),
        ...(pull.base_ref !== before.base_ref ? ['base'] : []),
      ]
      tellUpdated(tx, context, pull, changed)
    }
  },
)
