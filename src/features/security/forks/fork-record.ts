/** The private fork of an advisory as clients see it. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { branchOf, titleOf } from '#features/repos/index.ts'
import { forkName, forkRemote, forkSshRemote, readBase } from './fork.ts'
import type { AdvisoryFork, ForkBranch } from './schema.ts'
import { listForkRefs, type ForkRef, type ForkRow } from './store-forks.ts'

async function branchRecord(
  { git }: Hearth,
  { store }: ForkRow,
  base: string,
  { name, oid, moved_at }: ForkRef,
): Promise<ForkBranch> {
  const commit = await git.readCommit(store, oid)
  const { ahead, behind } = await git.countAheadBehind(store, oid, base)
  return {
    name: branchOf(name) ?? name,
    sha: oid,
    title: titleOf(commit?.message ?? ''),
    ahead,
    behind,
    updated_at: moved_at,
  }
}

export async function forkRecord(
  hearth: Hearth,
  repo: Pick<RepoGrant, 'full_name'>,
  fork: ForkRow,
): Promise<AdvisoryFork> {
  const base = readBase(hearth.db, fork)
  const refs = listForkRefs(hearth.db, fork.id)
    .filter(({ name }) => branchOf(name) !== fork.base_branch)
    .toSorted((a, b) => (a.moved_at < b.moved_at ? 1 : a.moved_at > b.moved_at ? -1 : 0))
  const branches: ForkBranch[] = []
  for (const ref of base === null ? [] : refs)
    branches.push(await branchRecord(hearth, fork, base ?? '', ref))
  const { merged_branch: branch, merged_sha: sha, merged_at: at } = fork
  return {
    advisory_id: fork.advisory_id,
    repo: repo.full_name,
    full_name: forkName(repo.full_name, fork.advisory_id),
    remote: forkRemote(hearth, repo.full_name, fork.advisory_id),
    ssh_remote: forkSshRemote(hearth, repo.full_name, fork.advisory_id),
    state: fork.remove_at !== null ? 'closed' : base === null ? 'preparing' : 'ready',
    problem: fork.problem,
    base_branch: fork.base_branch,
    base_sha: base,
    branches,
    merged:
      branch === null || sha === null || at === null
        ? null
        : { branch, sha, by: actorOf(hearth, fork.merged_by), at },
    created_by: actorOf(hearth, fork.created_by),
    created_at: fork.created_at,
    pushed_at: fork.pushed_at,
    remove_at: fork.remove_at,
  }
}
