import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { branchRecord } from './branch-record.ts'
import { requireMovesAllowed } from '../refs/move-guard.ts'
import { branchRef, shortNameProblem } from '../refs/ref-names.ts'
import { moveRefs, prepareUpdate } from '../refs/move-refs.ts'
import { resolveCommit } from '../refs/resolve-commit.ts'
import { Branch, BranchName, Ref } from '../schema.ts'
import { requireRepo } from '../store/repos.ts'
import { findRef } from '../store/refs.ts'

export const createBranch = operation({
  name: 'create_branch',
  summary:
    'Create a branch (Write) at a branch, tag or commit; at the default branch when from is left out. Answers the branch.',
  keywords: ['new branch', 'start a branch', 'branch off'],
  route: 'POST /repos/{owner}/{name}/branches',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, branch: BranchName, from: Type.Optional(Ref) }),
  output: Branch,
  status: 201,

  handler: async ({ hearth, db, repo, caller, now, write }, { branch, from = 'HEAD' }) => {
    const problem = shortNameProblem('heads', branch)
    if (problem) throw invalid('branch', `the name of the branch ${problem}`)
    const name = branchRef(branch)
    if (findRef(db, repo.id, name))
      throw conflict('already_exists', `the branch ${branch} exists already`)
    const oid = await resolveCommit(hearth, repo, from, 'from')
    const update = await prepareUpdate(hearth, repo, { name, old: null, new: oid })
    const guard = await requireMovesAllowed(hearth, repo.id, caller, [update])
    const made = await branchRecord(hearth, requireRepo(db, repo.id), {
      name,
      oid,
      peeled: null,
      moved_at: now,
    })
    return write((tx) => {
      if (findRef(tx.db, repo.id, name))
        throw conflict('already_exists', `the branch ${branch} exists already`)
      guard(tx)
      moveRefs(tx, repo, [update])
      return { ...made, updated_at: tx.now }
    })
  },
})
