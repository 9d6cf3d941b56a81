/** The forms of the changes page: line comments, suggestions, viewed marks, the review. */
import { addComment, resolveComment } from '#features/issues/index.ts'
import {
  addDraftComment,
  applySuggestion,
  deleteDraftComment,
  finishReview,
  markFileViewed,
  updateDraftComment,
} from '#features/pulls/index.ts'
import { invalid } from '#lib/errors.ts'
import { diffAnchor } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import { action, redirectWithFlash, safeRedirectPath, type Fields, type Visit } from '../../site.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { changesPage } from './changes.tsx'
import { SUGGEST } from './line-form.tsx'
import { pullPage } from './pull.tsx'
import { t } from '../../text.ts'

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })
const changesOf = (visit: Visit): string =>
  pullPath(target(visit).repo, target(visit).number, 'changes')
/** The page that a form returns to: the address that it names, or the conversation. */
const backOf = (visit: Visit, fields: Fields): string =>
  safeRedirectPath(fields.text('back')) ?? pullPath(target(visit).repo, target(visit).number)

const lineForm = action({
  path: '/:workspace/:repo/pull/:number/lines',
  page: changesPage,
  submit: async (visit, fields) => {
    // The form is shown again with the typed text and a suggestion after it.
    if (fields.text('then') === SUGGEST) throw invalid(SUGGEST, t('a suggestion was added'))
    const start = fields.optional('start_line')
    const input = {
      ...target(visit),
      path: fields.text('path'),
      line: Number(fields.text('line')),
      side: fields.text('side') === 'old' ? ('old' as const) : ('new' as const),
      body: fields.text('body'),
      ...(start === undefined ? {} : { start_line: Number(start) }),
    }
    const { id } = await (fields.text('then') === 'now'
      ? visit.call(addComment, input)
      : visit.call(addDraftComment, input))
    return `${safeRedirectPath(fields.text('back')) ?? changesOf(visit)}#${id}`
  },
})

const replyForm = action({
  path: '/:workspace/:repo/pull/:number/threads/reply',
  page: pullPage,
  submit: async (visit, fields) => {
    const { id } = await visit.call(addComment, {
      ...target(visit),
      body: fields.text('body'),
      in_reply_to: fields.text('in_reply_to'),
    })
    return `${backOf(visit, fields)}#${id}`
  },
})

const resolveForm = action({
  path: '/:workspace/:repo/pull/:number/threads/resolve',
  submit: async (visit, fields) => {
    const id = fields.text('comment_id')
    await visit.call(resolveComment, {
      repo: repoOf(visit),
      id,
      resolved: fields.text('resolved') === 'yes',
    })
    return `${backOf(visit, fields)}#${id}`
  },
})

const applyForm = action({
  path: '/:workspace/:repo/pull/:number/suggestions',
  submit: async (visit, fields) => {
    const [id, ...comments] = fields.all('comments')
    if (id === undefined) return redirectWithFlash(visit, backOf(visit, fields), 'suggestion-none')
    await visit.call(applySuggestion, { repo: repoOf(visit), id, comments })
    return redirectWithFlash(visit, backOf(visit, fields), 'suggestion-applied')
  },
})

const deleteDraftForm = action({
  path: '/:workspace/:repo/pull/:number/drafts/delete',
  submit: async (visit, fields) => {
    await visit.call(deleteDraftComment, { ...target(visit), id: fields.text('draft') })
    const back = safeRedirectPath(fields.text('back')) ?? changesOf(visit)
    return redirectWithFlash(visit, back, 'comment-deleted')
  },
})

const editDraftForm = action({
  path: '/:workspace/:repo/pull/:number/drafts/edit',
  page: changesPage,
  submit: async (visit, fields) => {
    const id = fields.text('draft')
    await visit.call(updateDraftComment, { ...target(visit), id, body: fields.text('body') })
    return `${safeRedirectPath(fields.text('back')) ?? changesOf(visit)}#${id}`
  },
})

const finishForm = action({
  path: '/:workspace/:repo/pull/:number/reviews/finish',
  page: changesPage,
  submit: async (visit, fields) => {
    const verdict = fields.text('verdict')
    await visit.call(finishReview, {
      ...target(visit),
      verdict: verdict === 'approve' || verdict === 'request_changes' ? verdict : 'comment',
      ...(fields.text('review').trim() === '' ? {} : { body: fields.text('review') }),
      ...(fields.optional('commit') ? { commit: fields.text('commit') } : {}),
    })
    return redirectWithFlash(visit, pullPath(target(visit).repo, target(visit).number), 'reviewed')
  },
})

const viewedForm = action({
  path: '/:workspace/:repo/pull/:number/viewed',
  submit: async (visit, fields) => {
    const path = fields.text('path')
    const viewed = fields.text('viewed') !== 'no'
    await visit.call(markFileViewed, { ...target(visit), path, viewed })
    return `${safeRedirectPath(fields.text('back')) ?? changesOf(visit)}#${diffAnchor(path)}`
  },
})

export const changeForms = [
  lineForm,
  replyForm,
  resolveForm,
  applyForm,
  deleteDraftForm,
  editDraftForm,
  finishForm,
  viewedForm,
]
