/** The forms about the branches of a pull request. */
import { revertPull, updatePull, updatePullBranch } from '#features/pulls/index.ts'
import { pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Visit } from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { pullPage } from './pull.tsx'

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })
const here = (visit: Visit): string => pullPath(target(visit).repo, target(visit).number)

const updateForm = action({
  path: '/:workspace/:repo/pull/:number/update',
  page: pullPage,
  submit: async (visit, fields) => {
    await visit.call(updatePullBranch, {
      ...target(visit),
      method: fields.text('method') === 'rebase' ? 'rebase' : 'merge',
      ...(fields.optional('expected_head') ? { expected_head: fields.text('expected_head') } : {}),
    })
    return redirectWithFlash(visit, here(visit), 'branch-updated')
  },
})

const autoMergeForm = action({
  path: '/:workspace/:repo/pull/:number/auto-merge',
  page: pullPage,
  submit: async (visit, fields) => {
    const auto_merge = fields.text('on') === 'yes'
    await visit.call(updatePull, { ...target(visit), auto_merge })
    return redirectWithFlash(visit, here(visit), auto_merge ? 'auto-merge-on' : 'auto-merge-off')
  },
})

const revertForm = action({
  path: '/:workspace/:repo/pull/:number/revert',
  page: pullPage,
  submit: async (visit) => {
    const { pull } = await visit.call(revertPull, target(visit))
    return pullPath(pull.repo, pull.number)
  },
})

export const branchForms = [updateForm, autoMergeForm, revertForm]
