import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { commentRecord } from './comment-record.ts'
import { requireComment, requireRecord } from '../require-records.ts'
import { CommentId } from '../inputs.ts'
import { isAuthor } from '../authorship.ts'
import { conversationResolved } from '../internal-events.ts'
import { Comment } from '../schema.ts'
import { setThreadResolved } from './store-comments.ts'
import { commentPointers, inRecord } from '../untrusted-texts.ts'

export const resolveComment = operation({
  name: 'resolve_comment',
  summary:
    "Mark the thread of a comment on a pull request as settled, or with resolved false as not. The pull request's author, or Write. The answer is the comment.",
  keywords: [
    'resolve a conversation',
    'resolve a thread',
    'mark a thread as settled',
    'mark a conversation as resolved',
    'unresolve',
  ],
  route: 'POST /repos/{owner}/{name}/comments/{id}/resolve',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    id: CommentId,
    resolved: Type.Optional(Type.Boolean({ description: 'true unless given.' })),
  }),
  output: Comment,
  untrusted: inRecord(commentPointers),

  handler: ({ hearth, db, repo, caller, write }, { id, resolved = true }) => {
    const { kind, number } = requireComment(db, repo.id, id)
    if (kind !== 'pull') throw invalid('id', 'only threads on pull requests can be resolved')
    if (!isAuthor(hearth, caller, requireRecord(db, repo.id, number).author_id))
      repo.require('write')
    return write((tx) => {
      const comment = requireComment(tx.db, repo.id, id)
      if ((comment.resolved === 1) !== resolved) {
        setThreadResolved(tx, comment.in_reply_to ?? comment.id, resolved, caller.id)
        tx.emit(conversationResolved, { repo_id: repo.id, number })
      }
      return commentRecord(hearth, requireComment(tx.db, repo.id, id))
    })
  },
})
