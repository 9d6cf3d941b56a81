// The forms for watching, starring and subscribing.
import {
  LEVELS,
  setIssueSubscription,
  setSubscription,
  starRepo,
  unstarRepo,
} from '#features/notifications/index.ts'
import { issuePath, pullPath, repoPath } from '../../paths.ts'
import { action, safeRedirectPath } from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'

export const watchForm = action({
  path: '/:workspace/:repo/subscription',
  submit: async (visit, fields) => {
    const level = LEVELS.find((one) => one === fields.text('level')) ?? 'participating'
    await visit.call(setSubscription, { repo: repoOf(visit), level })
    return safeRedirectPath(fields.text('back')) ?? repoPath(repoOf(visit))
  },
})

export const starForm = action({
  path: '/:workspace/:repo/star',
  submit: async (visit, fields) => {
    await visit.call(fields.text('star') === 'no' ? unstarRepo : starRepo, { repo: repoOf(visit) })
    return safeRedirectPath(fields.text('back')) ?? repoPath(repoOf(visit))
  },
})

const followForm = (part: 'issues' | 'pull', pathOf: (repo: string, number: number) => string) =>
  action({
    path: `/:workspace/:repo/${part}/:number/subscription`,
    submit: async (visit, fields) => {
      const at = { repo: repoOf(visit), number: numberOf(visit) ?? 0 }
      await visit.call(setIssueSubscription, {
        ...at,
        subscribed: fields.text('subscribed') !== 'no',
      })
      return pathOf(at.repo, at.number)
    },
  })

export const followForms = [
  followForm('issues', issuePath),
  followForm('pull', (repo, number) => pullPath(repo, number)),
]
