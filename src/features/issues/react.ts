import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { commentRecord } from './comment-record.ts'
import { requireComment } from './find.ts'
import { CommentId } from './inputs.ts'
import { Comment, REACTIONS } from './schema.ts'
import { insertReaction } from './store-comments.ts'
import { commentPlaces, inRecord } from './untrusted.ts'

export const react = operation({
  name: 'react',
  summary:
    'Put your reaction on a comment; anyone who can see it may. The answer is the comment with its counts.',
  route: 'PUT /repos/{owner}/{name}/comments/{id}/reactions/{content}',
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, id: CommentId, content: OneOf(REACTIONS) }),
  output: Comment,
  untrusted: inRecord(commentPlaces),

  handler: ({ hearth, repo, caller, write }, { id, content }) =>
    write((tx) => {
      const comment = requireComment(tx.db, repo.id, id)
      insertReaction(tx, id, content, caller.id)
      return commentRecord(hearth, comment)
    }),
})
