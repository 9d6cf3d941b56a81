import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { commentRecord } from './comment-record.ts'
import { requireComment } from '../require-records.ts'
import { CommentId } from '../inputs.ts'
import { Comment, REACTIONS } from '../schema.ts'
import { insertReaction } from './store-comments.ts'
import { commentPointers, inRecord } from '../untrusted-texts.ts'

export const react = operation({
  name: 'react',
  summary:
    'Put your reaction on a comment; anyone who can see it may. The answer is the comment with its counts.',
  keywords: ['thumbs up', 'emoji', 'like a comment', 'add a reaction', 'upvote', 'heart'],
  route: 'PUT /repos/{owner}/{name}/comments/{id}/reactions/{content}',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, id: CommentId, content: OneOf(REACTIONS) }),
  output: Comment,
  untrusted: inRecord(commentPointers),

  handler: ({ hearth, repo, caller, write }, { id, content }) =>
    write((tx) => {
      const comment = requireComment(tx.db, repo.id, id)
      insertReaction(tx, id, content, caller.id)
      return commentRecord(hearth, comment)
    }),
})
