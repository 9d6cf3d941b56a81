import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Sha, Type } from '#core/schema.ts'
import {
  branchRef,
  moveRefs,
  prepareUpdates,
  requireMovesAllowed,
  shortNameProblem,
} from '#features/repos/index.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { findLeadProblem } from './guard.ts'
import { findKeptRef } from './store-refs.ts'

/** Makes a branch of a former tip, which no visible ref reaches. */
export const restoreKeptMirrorRef = operation({
  name: 'restore_kept_mirror_ref',
  summary: 'Make a branch of a commit that a mirror kept.',
  route: null,
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    sha: Sha,
    branch: Type.String({ minLength: 1, maxLength: 255 }),
  }),
  output: Type.Object({ branch: Type.String() }),

  handler: async ({ hearth, git, caller, repo, write }, { sha, branch }) => {
    const problem = shortNameProblem('heads', branch)
    if (problem !== null) throw invalid('branch', `the name of the branch ${problem}`)
    if (!findKeptRef(hearth.db, repo.id, sha)) throw notFound(`the kept commit ${sha}`)
    const lead = findLeadProblem(hearth.db, repo.id)
    if (lead !== null) throw conflict('rule', lead)
    const commit = await git.peelToCommit(repo.store, sha)
    if (commit === null) throw invalid('sha', `${sha} is no commit`)
    const updates = await prepareUpdates(hearth, repo, [
      { name: branchRef(branch), old: null, new: commit },
    ])
    const guard = await requireMovesAllowed(hearth, repo.id, caller, updates)
    await write((tx) => {
      guard(tx)
      moveRefs(tx, repo, updates)
    })
    return { branch }
  },
})
