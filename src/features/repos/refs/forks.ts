/**
 * Forks of pull requests. A fork has its own refs over the parent's objects, so creating one copies
 * nothing.
 */
import type { Oid } from '#git'
import type { Tx } from '#core/write.ts'
import { typeId } from '#core/ids.ts'
import { actorOf } from '#features/accounts/index.ts'
import { repoForked } from '../events.ts'
import { newGeneration } from './move-refs.ts'
import { branchOf } from './ref-names.ts'
import { insertRepo, removeForkRow, type RepoRow } from '../store/repos.ts'
import { setRef } from '../store/refs.ts'

/**
 * Creates the fork of a pull request with one branch, `head.ref` (a full name), at the current
 * commit of the base.
 */
export function createFork(
  tx: Tx,
  parent: RepoRow,
  fork: {
    pull_number: number
    author_id: string
    head: { ref: string; oid: Oid }
    /** Of a pull request of another forge: no event tells of it. */
    imported?: boolean
  },
): RepoRow {
  const row = insertRepo(tx, {
    id: typeId('rep', tx.now_ms),
    workspace_id: parent.workspace_id,
    name: parent.name,
    parent_id: parent.id,
    pull_number: fork.pull_number,
    store: parent.store,
    private: parent.private === 1,
    default_branch: branchOf(fork.head.ref) ?? parent.default_branch,
    protected: false,
    refs_generation: newGeneration(),
    created_by: fork.author_id,
    created_for: actorOf(tx.hearth, fork.author_id)?.on_behalf_of?.id ?? null,
  })
  setRef(tx, row.id, { name: fork.head.ref, oid: fork.head.oid, peeled: null })
  if (fork.imported) return row
  tx.append(
    repoForked,
    { workspace_id: parent.workspace_id, repo_id: parent.id },
    { pull: fork.pull_number },
    { actor_id: fork.author_id },
  )
  return row
}

/**
 * Deletes a fork with its refs. Garbage collection deletes its objects when nothing else reaches
 * them.
 */
export const removeFork = (tx: Tx, id: string): void => removeForkRow(tx, id)
