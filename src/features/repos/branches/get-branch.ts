import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { branchRecord, branchNotFound } from './branch-record.ts'
import { branchRef } from '../refs/ref-names.ts'
import { Branch, BranchName } from '../schema.ts'
import { requireRepo } from '../store/repos.ts'
import { findRef } from '../store/refs.ts'

export const getBranch = operation({
  name: 'get_branch',
  summary:
    'Get one branch of a repository that you can see: its last commit, its distance from the default branch, its protection and the rules in force.',
  keywords: ['branch details', 'is a branch protected', 'head of a branch'],
  route: 'GET /repos/{owner}/{name}/branches/{branch}',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, branch: BranchName }),
  output: Branch,

  handler: async ({ hearth, db, repo }, { branch }) => {
    const ref = findRef(db, repo.id, branchRef(branch))
    if (!ref) throw branchNotFound(branch)
    return branchRecord(hearth, requireRepo(db, repo.id), ref)
  },
})
