import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { commentRecord } from './comment-record.ts'
import { commentEdited } from '../events.ts'
import { requireComment } from '../require-records.ts'
import { CommentBodyInput, CommentId } from '../inputs.ts'
import { isAuthor } from '../authorship.ts'
import { Comment } from '../schema.ts'
import { refuseSecrets } from '../secrets.ts'
import { setCommentBody } from './store-comments.ts'
import { notBlank } from '../text.ts'
import { commentPointers, inRecord } from '../untrusted-texts.ts'

export const updateComment = operation({
  name: 'update_comment',
  summary: 'Change the text of a comment. Its author, or Maintain. The answer is the comment.',
  keywords: ['edit a comment', 'fix a typo in a comment', 'change what I wrote'],
  route: 'PATCH /repos/{owner}/{name}/comments/{id}',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, id: CommentId, body: CommentBodyInput }),
  output: Comment,
  untrusted: inRecord(commentPointers),

  handler: ({ hearth, db, repo, caller, write }, { id, ...input }) => {
    if (!isAuthor(hearth, caller, requireComment(db, repo.id, id).author_id))
      repo.require('maintain')
    const body = notBlank('body', input.body)
    refuseSecrets(db, repo.id, 'body', body)
    return write((tx) => {
      const comment = requireComment(tx.db, repo.id, id)
      if (comment.body !== body) {
        setCommentBody(tx, id, body)
        tx.emit(commentEdited, { repo_id: repo.id, number: comment.number, comment: id })
      }
      return commentRecord(hearth, requireComment(tx.db, repo.id, id))
    })
  },
})
