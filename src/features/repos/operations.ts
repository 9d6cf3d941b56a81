/** All operations on repositories and their code. */
import type { Operation } from '#core/operation.ts'
import { archiveRepo } from './archive-repo.ts'
import { compareCommits } from './compare-commits.ts'
import { createBranch } from './create-branch.ts'
import { createCommit } from './create-commit.ts'
import { createRepo } from './create-repo.ts'
import { createTag } from './create-tag.ts'
import { deleteBranch } from './delete-branch.ts'
import { deleteRepo } from './delete-repo.ts'
import { deleteTag } from './delete-tag.ts'
import { fetchRepo } from './fetch-repo.ts'
import { findBlame } from './find-blame.ts'
import { getArchiveLink } from './get-archive-link.ts'
import { getBlame } from './get-blame.ts'
import { getBranch } from './get-branch.ts'
import { getCommit } from './get-commit.ts'
import { getFile } from './get-file.ts'
import { getRepoSettings } from './get-repo-settings.ts'
import { getRepo } from './get-repo.ts'
import { getTree } from './get-tree.ts'
import { listChangedFiles } from './list-changed-files.ts'
import { listBranches } from './list-branches.ts'
import { listCodeOwners } from './list-code-owners.ts'
import { listCommits } from './list-commits.ts'
import { listDeletedRepos } from './list-deleted-repos.ts'
import { listCommitRefs } from './list-commit-refs.ts'
import { listEvents } from './list-events.ts'
import { listFolder } from './list-folder.ts'
import { listRefNames } from './list-ref-names.ts'
import { listRepos } from './list-repos.ts'
import { listTags } from './list-tags.ts'
import { listUserRepos } from './list-user-repos.ts'
import { locateCode } from './locate-code.ts'
import { openArchive } from './open-archive.ts'
import { previewChange } from './preview-change.ts'
import { purgeRepo } from './purge-repo.ts'
import { push } from './push.ts'
import { renameBranch } from './rename-branch.ts'
import { renameRepo } from './rename-repo.ts'
import { restoreRepo } from './restore-repo.ts'
import { setRepoVisibility } from './set-repo-visibility.ts'
import { transferRepo } from './transfer-repo.ts'
import { unarchiveRepo } from './unarchive-repo.ts'
import { updateRepoSettings } from './update-repo-settings.ts'
import { updateRepo } from './update-repo.ts'

export const operations: readonly Operation[] = [
  listRepos,
  listUserRepos,
  createRepo,
  getRepo,
  updateRepo,
  getRepoSettings,
  updateRepoSettings,
  listEvents,
  renameRepo,
  transferRepo,
  setRepoVisibility,
  archiveRepo,
  unarchiveRepo,
  deleteRepo,
  listDeletedRepos,
  restoreRepo,
  purgeRepo,
  listBranches,
  getBranch,
  createBranch,
  renameBranch,
  deleteBranch,
  listTags,
  createTag,
  deleteTag,
  listCommits,
  getCommit,
  compareCommits,
  getTree,
  getFile,
  getBlame,
  listCodeOwners,
  createCommit,
  getArchiveLink,
  fetchRepo,
  push,
  locateCode,
  openArchive,
  listRefNames,
  listCommitRefs,
  listFolder,
  findBlame,
  listChangedFiles,
  previewChange,
]

export {
  archiveRepo,
  compareCommits,
  createBranch,
  createCommit,
  createRepo,
  createTag,
  deleteBranch,
  deleteRepo,
  deleteTag,
  fetchRepo,
  findBlame,
  getArchiveLink,
  getBlame,
  getBranch,
  getCommit,
  getFile,
  getRepo,
  getRepoSettings,
  getTree,
  listBranches,
  listCodeOwners,
  listCommitRefs,
  listCommits,
  listDeletedRepos,
  listEvents,
  listFolder,
  listRefNames,
  listRepos,
  listTags,
  listUserRepos,
  locateCode,
  openArchive,
  listChangedFiles,
  previewChange,
  purgeRepo,
  push,
  renameBranch,
  renameRepo,
  restoreRepo,
  setRepoVisibility,
  transferRepo,
  unarchiveRepo,
  updateRepo,
  updateRepoSettings,
}
