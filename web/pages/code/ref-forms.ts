/** The forms of the pages of branches and tags. */
import {
  createBranch,
  createTag,
  deleteBranch,
  deleteTag,
  renameBranch,
} from '#features/repos/index.ts'
import { codePath, repoPath } from '../../paths.ts'
import { redirectWithFlash, form } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { branchesPage, tagsPage } from './history.tsx'

export const createBranchForm = form({
  path: '/:workspace/:repo/branches',
  page: branchesPage,
  operation: createBranch,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    branch: fields.text('branch').trim(),
    from: fields.text('from').trim(),
  }),
  done: (branch, visit, fields) =>
    redirectWithFlash(
      visit,
      fields.text('then') === 'tree'
        ? codePath(repoOf(visit), 'tree', branch.name)
        : repoPath(repoOf(visit), '/branches'),
      'branch-made',
    ),
})

export const renameBranchForm = form({
  path: '/:workspace/:repo/branches/rename',
  page: branchesPage,
  operation: renameBranch,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    branch: fields.text('branch'),
    new_name: fields.text('new_name').trim(),
  }),
  done: (_, visit) =>
    redirectWithFlash(visit, repoPath(repoOf(visit), '/branches'), 'branch-renamed'),
})

export const deleteBranchForm = form({
  path: '/:workspace/:repo/branches/delete',
  page: branchesPage,
  operation: deleteBranch,
  input: (fields, visit) => ({ repo: repoOf(visit), branch: fields.text('branch') }),
  done: (_, visit) =>
    redirectWithFlash(visit, repoPath(repoOf(visit), '/branches'), 'branch-deleted'),
})

export const createTagForm = form({
  path: '/:workspace/:repo/tags',
  page: tagsPage,
  operation: createTag,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    tag: fields.text('tag').trim(),
    target: fields.text('target').trim(),
    message: fields.text('message'),
  }),
  done: (_, visit) => redirectWithFlash(visit, repoPath(repoOf(visit), '/tags'), 'tag-made'),
})

export const deleteTagForm = form({
  path: '/:workspace/:repo/tags/delete',
  page: tagsPage,
  operation: deleteTag,
  input: (fields, visit) => ({ repo: repoOf(visit), tag: fields.text('tag') }),
  done: (_, visit) => redirectWithFlash(visit, repoPath(repoOf(visit), '/tags'), 'tag-deleted'),
})

export const refForms = [
  createBranchForm,
  renameBranchForm,
  deleteBranchForm,
  createTagForm,
  deleteTagForm,
]
