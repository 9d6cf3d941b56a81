/**
 * Reactions to renamed branches: pull requests take over the new name of their head or base. No
 * commit changes.
 */
import { reaction } from '#core/events.ts'
import { branchRenamed, repoById, setBranchPull } from '#features/repos/index.ts'
import { contextOf } from '../pull-context.ts'
import { updateOpenPulls } from '../lifecycle/settle.ts'
import { findPullOfFork, requirePull, touchPull } from '../store-pulls.ts'
import { listActiveNaming, renameBranchInPulls, renameHeadOfFork } from './store-branches.ts'
import { appendPullUpdated } from '../lifecycle/append-updated.ts'

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
      updateOpenPulls(tx, pull)
      const changed = [
        ...(pull.branch !== before.branch ? ['branch'] : []),
        ...(pull.base_ref !== before.base_ref ? ['base'] : []),
      ]
      appendPullUpdated(tx, context, pull, changed)
    }
  },
)
