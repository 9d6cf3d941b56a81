/** All operations on repositories and their code. */
import type { Operation } from '#core/operation.ts'
import { compareCommits } from './compare-commits.ts'
import { createBranch } from './create-branch.ts'
import { createCommit } from './create-commit.ts'
import { createRepo } from './create-repo.ts'
import { deleteBranch } from './delete-branch.ts'
import { fetchRepo } from './fetch-repo.ts'
import { getBlame } from './get-blame.ts'
import { getBranch } from './get-branch.ts'
import { getCommit } from './get-commit.ts'
import { getFile } from './get-file.ts'
import { getRepo } from './get-repo.ts'
import { getRepoSettings } from './get-repo-settings.ts'
import { getTree } from './get-tree.ts'
import { listBranches } from './list-branches.ts'
import { listCommits } from './list-commits.ts'
import { listEvents } from './list-events.ts'
import { listRepos } from './list-repos.ts'
import { listTags } from './list-tags.ts'
import { locateCode } from './locate-code.ts'
import { push } from './push.ts'
import { updateRepo } from './update-repo.ts'
import { updateRepoSettings } from './update-repo-settings.ts'

export const operations: readonly Operation[] = [
  listRepos, createRepo, getRepo, updateRepo, getRepoSettings, updateRepoSettings, listEvents,
  listBranches, getBranch, createBranch, deleteBranch, listTags, listCommits, getCommit, compareCommits, getTree, getFile, getBlame, createCommit,
  fetchRepo, push, locateCode,
]

export {
  compareCommits, createBranch, createCommit, createRepo, deleteBranch, fetchRepo, getBlame, getBranch, getCommit, getFile, getRepo, getRepoSettings, getTree, listBranches,
  listCommits, listEvents, listRepos, listTags, locateCode, push, updateRepo, updateRepoSettings,
}
