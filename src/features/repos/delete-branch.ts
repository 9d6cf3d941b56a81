import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { noSuchBranch } from './branch-record.ts'
import { branchRef } from './ref-names.ts'
import { moveRefs } from './refs.ts'
import { BranchName } from './schema.ts'
import { requireRepo } from './store.ts'
import { readRef } from './store-refs.ts'

export const deleteBranch = operation({
  name: 'delete_branch',
  summary: 'Delete a branch (Write); never the default branch. Open pull requests from it are closed.',
  route: 'DELETE /repos/{owner}/{name}/branches/{branch}',
  toolset: 'code',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, branch: BranchName }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, write }, { branch }) =>
    write((tx) => {
      const name = branchRef(branch)
      const old = readRef(tx.db, repo.id, name)
      if (old === null) throw noSuchBranch(branch)
      if (branch === requireRepo(tx.db, repo.id).default_branch) {
        throw conflict('rule', `${branch} is the default branch: choose another default branch first`)
      }
      moveRefs(tx, repo, [{ name, old, new: null, peeled: null, commits: 0, forced: false }])
      return null
    }),
})
