import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { changedValues } from '#features/issues/index.ts'
import { contextOf } from '../pull-context.ts'
import { onPull, reviewersInput } from '../inputs.ts'
import { pullRecord } from '../pull-record.ts'
import { cancelRequests, requireNames } from './reviewers.ts'
import { requireAuthorOr, requireOwnRepository } from '../permissions.ts'
import { Pull } from '../schema.ts'
import { requireActive, requirePull, touchPull } from '../store-pulls.ts'
import { appendPullUpdated, pullFieldValues } from '../lifecycle/append-updated.ts'
import { inPull } from '../untrusted-texts.ts'

export const cancelReviewRequest = operation({
  name: 'cancel_review_request',
  summary:
    'Take back requests for review of a pull request; with a team those of the people whom it picked. For its author, or triage. Answers with the pull request.',
  keywords: ['remove a reviewer', 'withdraw a review request', 'take a reviewer off'],
  route: 'DELETE /repos/{owner}/{name}/pulls/{number}/reviewers',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({ ...onPull, ...reviewersInput }),
  output: Pull,
  untrusted: inPull,
  annotations: { destructive: true },

  handler: ({ hearth, db, repo, caller, write }, { repo: _, number, ...names }) => {
    requireOwnRepository(repo)
    requireAuthorOr(hearth, repo, requirePull(db, repo.id, number), caller, 'triage')
    requireNames(names)
    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireActive(pull)
      const before = pullFieldValues(hearth, tx.db, pull)
      cancelRequests(tx, pull, repo, names)
      touchPull(tx, repo.id, number)
      const context = contextOf(tx.db, repo.id)
      const values = changedValues(before, pullFieldValues(hearth, tx.db, pull))
      appendPullUpdated(tx, context, pull, ['requested_reviewers'], values)
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
    })
  },
})
