/**
 * Copies the default branch of the repository into its private forks: when a fork is opened, and
 * whenever the branch moves. The copy has a store of its own, so the objects of the mend are never
 * in the store of the repository before it is merged.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { reaction } from '#core/events.ts'
import { writeAs, type Tx } from '#core/write.ts'
import type { Oid } from '#git'
import {
  branchOf,
  branchRef,
  enqueueMaintenance,
  gitPush,
  readRef,
  repoById,
  repoDefaultBranchChanged,
} from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { readBase, refsOfFork } from './fork.ts'
import { STORE_URL, storeTransport } from './store-transport.ts'
import {
  addForkSize,
  findForkById,
  listOpenForkIds,
  setForkProblem,
  setForkRef,
  type ForkRow,
} from './store-forks.ts'

/** The commit that the base of a fork should be at; null for a repository that is gone or empty. */
function findTip(hearth: Hearth, fork: ForkRow): { store: string; oid: Oid } | null {
  const repo = repoById(hearth.db, fork.repo_id)
  if (!repo || repo.deleted_at !== null) return null
  const oid = readRef(hearth.db, repo.id, branchRef(repo.default_branch))
  return oid === null ? null : { store: repo.store, oid }
}

/**
 * Brings the base of a fork to the default branch of its repository. It can be interrupted and
 * repeated: objects without a ref are harmless. Does nothing for a fork that is gone.
 */
export async function syncFork(hearth: Hearth, fork_id: string, signal?: AbortSignal) {
  const { git, db } = hearth
  const fork = findForkById(db, fork_id)
  const tip = fork && findTip(hearth, fork)
  if (!fork || !tip || readBase(db, fork) === tip.oid) return
  const name = branchRef(fork.base_branch)
  const source = {
    generation: `base ${tip.oid}`,
    head: name,
    refs: [{ name, oid: tip.oid, peeled: null }],
  }
  await git.createStore(fork.store)
  await git.fetchFrom(fork.store, storeTransport(git, tip.store, source), {
    url: STORE_URL,
    local: refsOfFork(db, fork),
    ownStore: true,
    ...(signal && { signal }),
    apply: ({ bytes }) => setBase(hearth, fork, { name, oid: tip.oid, bytes }),
  })
  // It was deleted meanwhile, and its store with it.
  if (!findForkById(db, fork_id)) await git.removeStore(fork.store)
}

/** Moves the base to a commit whose objects are in the store. Returns whether it moved. */
async function setBase(
  hearth: Hearth,
  fork: ForkRow,
  { name, oid, bytes }: { name: string; oid: Oid; bytes: number },
): Promise<boolean> {
  const workspace = repoById(hearth.db, fork.repo_id)?.workspace_id ?? ''
  const problem = bytes > 0 ? findQuotaProblem(hearth, workspace, 'repos_bytes', bytes) : null
  return await writeAs(hearth, null, (tx) => {
    if (!findForkById(tx.db, fork.id)) return false
    setForkProblem(tx, fork.id, problem)
    if (problem !== null) return false
    setForkRef(tx, fork.id, name, oid)
    addForkSize(tx, fork.id, bytes)
    enqueueMaintenance(tx, fork.store)
    return true
  })
}

export const syncAdvisoryFork = job<{ fork_id: string }>({
  kind: 'sync_advisory_fork',
  run: ({ hearth, signal }, { fork_id }) => syncFork(hearth, fork_id, signal),
})

function syncForksOf(tx: Tx, repo_id: string): void {
  for (const fork_id of listOpenForkIds(tx.db, repo_id))
    tx.enqueue(syncAdvisoryFork, { fork_id }, { key: fork_id })
}

export const forkReactions = [
  reaction('private forks follow the default branch', gitPush, (tx, { repo_id, data }) => {
    if (repo_id !== null && branchOf(data.ref) === data.default_branch) syncForksOf(tx, repo_id)
  }),
  reaction(
    'private forks follow another default branch',
    repoDefaultBranchChanged,
    (tx, { repo_id }) => {
      if (repo_id !== null) syncForksOf(tx, repo_id)
    },
  ),
]
