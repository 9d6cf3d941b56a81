import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { branchRecord, branchNotFound } from './branch-record.ts'
import { branchRenamed, repoDefaultBranchChanged } from '../events.ts'
import { auditRepo, requireLiveFamily } from '../lifecycle/preconditions.ts'
import { requireMovesAllowed } from '../refs/move-guard.ts'
import { branchRef, shortNameProblem } from '../refs/ref-names.ts'
import { prepareUpdate, renameRef } from '../refs/move-refs.ts'
import { Branch, BranchName } from '../schema.ts'
import { requireRepo } from '../store/repos.ts'
import { findBranchPull } from '../store/pulls.ts'
import { insertBranchRedirect } from '../store/redirects.ts'
import { findRef } from '../store/refs.ts'

export const renameBranch = operation({
  name: 'rename_branch',
  summary:
    'Rename a branch (Write; the default branch Admin). Pull requests from it and into it follow, and addresses of pages with the old name lead to the new one. Answers the branch.',
  keywords: ['change the name of a branch', 'master to main'],
  route: 'POST /repos/{owner}/{name}/branches/{branch}/rename',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, branch: BranchName, new_name: BranchName }),
  output: Branch,
  annotations: { idempotent: true },

  handler: async ({ hearth, db, repo, caller, write }, { branch, new_name }) => {
    const problem = shortNameProblem('heads', new_name)
    if (problem) throw invalid('new_name', `the name of the branch ${problem}`)
    const before = requireRepo(db, repo.id)
    const ref = findRef(db, repo.id, branchRef(branch))
    if (!ref) throw branchNotFound(branch)
    const wasDefault = branch === before.default_branch
    // For the rules, a rename deletes one branch and creates another.
    const moves =
      branch === new_name
        ? []
        : [
            { name: ref.name, old: ref.oid, new: null, peeled: null, commits: 0, forced: false },
            await prepareUpdate(hearth, repo, {
              name: branchRef(new_name),
              old: null,
              new: ref.oid,
            }),
          ]
    const guard = await requireMovesAllowed(hearth, repo.id, caller, moves)
    const made = await branchRecord(
      hearth,
      wasDefault ? { ...before, default_branch: new_name } : before,
      { ...ref, name: branchRef(new_name) },
    )
    return write((tx) => {
      const row = requireLiveFamily(tx.db, repo.id)
      const still = findRef(tx.db, row.id, branchRef(branch))
      if (!still) throw branchNotFound(branch)
      const isDefault = branch === row.default_branch
      if (isDefault) repo.require('admin')
      if (still.oid !== ref.oid || isDefault !== wasDefault)
        throw conflict('head_moved', `the branch ${branch} changed just now; ask again`)
      if (branch === new_name) return made
      if (findRef(tx.db, row.id, branchRef(new_name)))
        throw conflict('already_exists', `the branch ${new_name} exists already`)
      guard(tx)
      renameRef(tx, row, branchRef(branch), branchRef(new_name))
      insertBranchRedirect(tx, row.id, branch, new_name)
      const subject = { workspace_id: row.workspace_id, repo_id: row.id }
      tx.append(branchRenamed, subject, { previous: branch, branch: new_name })
      if (isDefault)
        tx.append(repoDefaultBranchChanged, subject, { previous: branch, default_branch: new_name })
      auditRepo(tx, 'branch.renamed', row, { before: { branch }, after: { branch: new_name } })
      return {
        ...made,
        pull: findBranchPull(tx.db, row.id, new_name),
        updated_at: findRef(tx.db, row.id, branchRef(new_name))?.moved_at ?? tx.now,
      }
    })
  },
})
