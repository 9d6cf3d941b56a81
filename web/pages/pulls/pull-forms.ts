/** The forms of the conversation page of a pull request. */
import { addComment } from '#features/issues/index.ts'
import {
  closePull,
  convertPullToDraft,
  dismissReview,
  markPullReady,
  mergePull,
  reopenPull,
  finishReview,
} from '#features/pulls/index.ts'
import { pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Visit } from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { messageField } from './merge-box.tsx'
import { pullPage } from './pull.tsx'

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })
const hereOf = (visit: Visit): string => pullPath(repoOf(visit), numberOf(visit) ?? 0)

export const pullCommentForm = action({
  path: '/:workspace/:repo/pull/:number/comments',
  page: pullPage,
  submit: async (visit, fields) => {
    const then = fields.text('then')
    const body = fields.text('body')
    if (then === '' || (then !== 'close' && body.trim() !== '')) {
      const comment = await visit.call(addComment, { ...target(visit), body })
      if (then === '') return `${hereOf(visit)}#${comment.id}`
    }
    if (then === 'close') {
      await visit.call(closePull, {
        ...target(visit),
        ...(body.trim() === '' ? {} : { comment: body }),
      })
      return redirectWithFlash(visit, hereOf(visit), 'pull-closed')
    }
    if (then === 'draft') {
      await visit.call(convertPullToDraft, target(visit))
      return redirectWithFlash(visit, hereOf(visit), 'pull-draft')
    }
    await visit.call(reopenPull, target(visit))
    return redirectWithFlash(visit, hereOf(visit), 'pull-reopened')
  },
})

export const readyForm = action({
  path: '/:workspace/:repo/pull/:number/ready',
  page: pullPage,
  submit: async (visit, fields) => {
    await visit.call(markPullReady, { ...target(visit), summary: fields.text('summary') })
    return redirectWithFlash(visit, hereOf(visit), 'pull-ready')
  },
})

export const reviewForm = action({
  path: '/:workspace/:repo/pull/:number/reviews',
  page: pullPage,
  submit: async (visit, fields) => {
    const verdict = fields.text('verdict')
    // Pending comments on lines belong to the review, whichever page it is sent from.
    await visit.call(finishReview, {
      ...target(visit),
      verdict: verdict === 'approve' || verdict === 'request_changes' ? verdict : 'comment',
      ...(fields.text('review').trim() === '' ? {} : { body: fields.text('review') }),
    })
    return redirectWithFlash(visit, hereOf(visit), 'reviewed')
  },
})

export const dismissForm = action({
  path: '/:workspace/:repo/pull/:number/reviews/dismiss',
  page: pullPage,
  submit: async (visit, fields) => {
    await visit.call(dismissReview, {
      ...target(visit),
      id: fields.text('review_id'),
      reason: fields.text('reason'),
    })
    return redirectWithFlash(visit, hereOf(visit), 'review-dismissed')
  },
})

export const mergeForm = action({
  path: '/:workspace/:repo/pull/:number/merge',
  page: pullPage,
  submit: async (visit, fields) => {
    const method = fields.text('method')
    const { queue } = await visit.call(mergePull, {
      ...target(visit),
      method: method === 'squash' || method === 'rebase' ? method : 'merge',
      ...(method !== 'rebase' && fields.optional(messageField(method))
        ? { message: fields.text(messageField(method)) }
        : {}),
      keep_issue_open: fields.ticked('keep_issue_open'),
      ...(fields.ticked('ignore_checks') ? { ignore_checks: true } : {}),
      ...(fields.optional('expected_head') ? { expected_head: fields.text('expected_head') } : {}),
    })
    return redirectWithFlash(visit, hereOf(visit), queue === null ? 'merged' : 'queued')
  },
})
