import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { changedValues } from '#features/issues/index.ts'
import { contextOf } from '../pull-context.ts'
import { onPull, reviewersInput } from '../inputs.ts'
import { pullRecord } from '../pull-record.ts'
import { requestReviews, requireNames, resolveReviewers } from './reviewers.ts'
import { requireAuthorOr, requireOwnRepository } from '../permissions.ts'
import { Pull } from '../schema.ts'
import { requireActive, requirePull, touchPull } from '../store-pulls.ts'
import { appendPullUpdated, pullFieldValues } from '../lifecycle/append-updated.ts'
import { inPull } from '../untrusted-texts.ts'

export const requestReview = operation({
  name: 'request_review',
  summary:
    'Ask people, teams or agents to review a pull request; a team asks whom its review assignment picks. Never its author. For its author, or triage. Answers with the pull request.',
  keywords: [
    'set reviewers',
    'ask for a review',
    'add a reviewer',
    'ask someone to look',
    'get feedback from someone',
    'ping reviewers',
  ],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/reviewers',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({ ...onPull, ...reviewersInput }),
  output: Pull,
  untrusted: inPull,
  annotations: { idempotent: true },

  handler: ({ hearth, db, repo, caller, write }, { repo: _, number, ...names }) => {
    requireOwnRepository(repo)
    requireAuthorOr(hearth, repo, requirePull(db, repo.id, number), caller, 'triage')
    requireNames(names)
    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireActive(pull)
      const context = contextOf(tx.db, repo.id)
      const before = pullFieldValues(hearth, tx.db, pull)
      if (requestReviews(tx, pull, repo, resolveReviewers(hearth, repo, pull, names), caller.id)) {
        touchPull(tx, repo.id, number)
        const values = changedValues(before, pullFieldValues(hearth, tx.db, pull))
        appendPullUpdated(tx, context, pull, ['requested_reviewers'], values)
      }
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
    })
  },
})
