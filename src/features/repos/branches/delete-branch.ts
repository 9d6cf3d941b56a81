import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { branchNotFound } from './branch-record.ts'
import { requireMovesAllowed } from '../refs/move-guard.ts'
import { branchRef } from '../refs/ref-names.ts'
import { moveRefs, type PreparedUpdate } from '../refs/move-refs.ts'
import { BranchName } from '../schema.ts'
import { requireRepo } from '../store/repos.ts'
import { readRef } from '../store/refs.ts'

const deletion = (name: string, old: string | null): PreparedUpdate => ({
  name,
  old,
  new: null,
  peeled: null,
  commits: 0,
  forced: false,
})

export const deleteBranch = operation({
  name: 'delete_branch',
  summary:
    'Delete a branch (Write); never the default branch. Open pull requests from it are closed.',
  keywords: ['remove a branch', 'stale branch', 'clean up branches'],
  route: 'DELETE /repos/{owner}/{name}/branches/{branch}',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, branch: BranchName }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: async ({ hearth, db, repo, caller, write }, { branch }) => {
    const name = branchRef(branch)
    const old = readRef(db, repo.id, name)
    const check = (now: string | null): void => {
      if (now === null) throw branchNotFound(branch)
      if (branch === requireRepo(db, repo.id).default_branch) {
        throw conflict(
          'rule',
          `${branch} is the default branch: choose another default branch first`,
        )
      }
    }
    check(old)
    const guard = await requireMovesAllowed(hearth, repo.id, caller, [deletion(name, old)])
    return write((tx) => {
      const now = readRef(tx.db, repo.id, name)
      check(now)
      guard(tx)
      moveRefs(tx, repo, [deletion(name, now)])
      return null
    })
  },
})
