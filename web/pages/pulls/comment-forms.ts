/** The forms that edit and delete a comment of an issue or pull request, and those of reactions. */
import {
  deleteComment,
  REACTIONS,
  toggleIssueReaction,
  toggleReaction,
  updateComment,
} from '#features/issues/index.ts'
import { issuePath, pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { inPart } from '../issues/conversation-part.ts'
import { issuePage } from '../issues/issue.tsx'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { pullPage } from './pull.tsx'

const contentOf = (given: string) => REACTIONS.find((one) => one === given) ?? '+1'

const formsAt = (
  part: 'issues' | 'pull',
  page: Page,
  pathOf: (repo: string, number: number) => string,
) => {
  const here = (visit: Visit): string => inPart(visit, pathOf(repoOf(visit), numberOf(visit) ?? 0))
  return [
    action({
      path: `/:workspace/:repo/${part}/:number/comments/edit`,
      page,
      submit: async (visit, fields) => {
        const { id } = await visit.call(updateComment, {
          repo: repoOf(visit),
          id: fields.text('comment_id'),
          body: fields.text('text'),
        })
        return `${here(visit)}#${id}`
      },
    }),
    action({
      path: `/:workspace/:repo/${part}/:number/comments/delete`,
      submit: async (visit, fields) => {
        await visit.call(deleteComment, { repo: repoOf(visit), id: fields.text('comment_id') })
        return redirectWithFlash(visit, here(visit), 'comment-deleted')
      },
    }),
    action({
      path: `/:workspace/:repo/${part}/:number/comments/:comment/react`,
      submit: async (visit, fields) => {
        const id = visit.params.comment ?? ''
        const content = contentOf(fields.text('content'))
        await visit.call(toggleReaction, { repo: repoOf(visit), id, content })
        return `${here(visit)}#${id}`
      },
    }),
    action({
      path: `/:workspace/:repo/${part}/:number/react`,
      submit: async (visit, fields) => {
        const number = numberOf(visit) ?? 0
        const content = contentOf(fields.text('content'))
        await visit.call(toggleIssueReaction, { repo: repoOf(visit), number, content })
        return `${here(visit)}#description`
      },
    }),
  ]
}

export const commentForms = [
  ...formsAt('issues', issuePage, issuePath),
  ...formsAt('pull', pullPage, pullPath),
]
