import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { requireComment } from '../require-records.ts'
import { CommentId } from '../inputs.ts'
import { isAuthor } from '../authorship.ts'
import { removeComment } from './store-comments.ts'

export const deleteComment = operation({
  name: 'delete_comment',
  summary:
    'Delete a comment for good. Its author, or Maintain. The timeline keeps that there was one, without its text.',
  keywords: ['remove a comment', 'take down a comment', 'spam comment'],
  route: 'DELETE /repos/{owner}/{name}/comments/{id}',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { destructive: true },
  input: Type.Object({ repo: RepoPath, id: CommentId }),
  output: Nothing,
  status: 204,

  handler: ({ hearth, db, repo, caller, write }, { id }) => {
    if (!isAuthor(hearth, caller, requireComment(db, repo.id, id).author_id))
      repo.require('maintain')
    return write((tx) => {
      requireComment(tx.db, repo.id, id)
      removeComment(tx, id)
      return null
    })
  },
})
