/** The forms of a repository's danger zone. */
import {
  archiveRepo,
  deleteRepo,
  renameRepo,
  setRepoVisibility,
  transferRepo,
  unarchiveRepo,
} from '#features/repos/index.ts'
import { repoPath, workspacePath } from '../../paths.ts'
import { redirectWithFlash, form } from '../../site.ts'
import { CONFIRM } from './danger-zone.tsx'
import { repoOf } from './frame.tsx'
import { repoSettingsPage } from './settings.tsx'

const at = (rest: string) => `/:workspace/:repo/settings/${rest}`

export const renameRepoForm = form({
  path: at('rename'),
  page: repoSettingsPage,
  operation: renameRepo,
  input: (fields, visit) => ({ repo: repoOf(visit), name: fields.text('name').trim() }),
  done: (repo, visit) =>
    redirectWithFlash(visit, repoPath(repo.full_name, '/settings'), 'repo-renamed'),
})

export const visibilityForm = form({
  path: at('visibility'),
  page: repoSettingsPage,
  operation: setRepoVisibility,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    private: fields.ticked('private'),
    confirm: fields.text(CONFIRM.visibility).trim(),
  }),
  done: (repo, visit) =>
    redirectWithFlash(
      visit,
      repoPath(repo.full_name, '/settings'),
      repo.private ? 'repo-private' : 'repo-public',
    ),
})

export const transferRepoForm = form({
  path: at('transfer'),
  page: repoSettingsPage,
  operation: transferRepo,
  input: (fields, visit) => ({ repo: repoOf(visit), to: fields.text('to') }),
  done: (repo, visit) =>
    redirectWithFlash(visit, repoPath(repo.full_name, '/settings'), 'repo-moved'),
})

export const archiveRepoForm = form({
  path: at('archive'),
  operation: archiveRepo,
  input: (_, visit) => ({ repo: repoOf(visit) }),
  done: (repo, visit) =>
    redirectWithFlash(visit, repoPath(repo.full_name, '/settings'), 'repo-archived'),
})

export const unarchiveRepoForm = form({
  path: at('unarchive'),
  operation: unarchiveRepo,
  input: (_, visit) => ({ repo: repoOf(visit) }),
  done: (repo, visit) =>
    redirectWithFlash(visit, repoPath(repo.full_name, '/settings'), 'repo-unarchived'),
})

export const deleteRepoForm = form({
  path: at('delete'),
  page: repoSettingsPage,
  operation: deleteRepo,
  input: (fields, visit) => ({ repo: repoOf(visit), confirm: fields.text(CONFIRM.delete).trim() }),
  done: (repo, visit) => redirectWithFlash(visit, workspacePath(repo.workspace), 'repo-deleted'),
})

export const dangerForms = [
  renameRepoForm,
  visibilityForm,
  transferRepoForm,
  archiveRepoForm,
  unarchiveRepoForm,
  deleteRepoForm,
]
