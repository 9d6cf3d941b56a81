// The forms about reviewers. They are separate from reviewers.tsx, which the page of the pull
// request imports.
import { cancelReviewRequest, requestReview } from '#features/pulls/index.ts'
import { pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { pullPage } from './pull.tsx'

const target = (visit: Visit) => ({ repo: repoOf(visit), number: Number(visit.params.number) })
const here = (visit: Visit): string => pullPath(target(visit).repo, target(visit).number)

/**
 * The formats of the field: `ada`, `@acme/core` (a team of the workspace), `ada/bot` (an agent).
 */
export const askReviewersForm = action({
  path: '/:workspace/:repo/pull/:number/reviewers',
  page: pullPage,
  submit: async (visit, fields) => {
    const workspace = `${(visit.params.workspace ?? '').toLowerCase()}/`
    const names = fields.list('reviewers', /[\s,]+/).map((name) => name.replace(/^@/, ''))
    const teams = names.filter((name) => name.toLowerCase().startsWith(workspace))
    const agents = names.filter((name) => name.includes('/') && !teams.includes(name))
    await visit.call(requestReview, {
      ...target(visit),
      users: names.filter((name) => !name.includes('/')),
      teams,
      agents,
    })
    return redirectWithFlash(visit, here(visit), 'saved')
  },
})

export const cancelReviewerForm = action({
  path: '/:workspace/:repo/pull/:number/reviewers/cancel',
  submit: async (visit, fields) => {
    const kind =
      (['users', 'teams', 'agents'] as const).find((one) => one === fields.text('kind')) ?? 'users'
    await visit.call(cancelReviewRequest, { ...target(visit), [kind]: [fields.text('name')] })
    return redirectWithFlash(visit, here(visit), 'saved')
  },
})
