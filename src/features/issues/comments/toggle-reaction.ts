import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { requireComment } from '../require-records.ts'
import { CommentId } from '../inputs.ts'
import { REACTIONS, type ReactionContent } from '../schema.ts'
import { insertReaction, removeReaction } from './store-comments.ts'

/** Adds a reaction or removes it. Used by the website, where one button does both. */
export const toggleReaction = operation({
  name: 'toggle_reaction',
  summary: 'Put your reaction on a comment, or take it back.',
  route: null,
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  input: Type.Object({ repo: RepoPath, id: CommentId, content: OneOf(REACTIONS) }),
  output: Type.Object({ given: Type.Boolean() }),

  handler: ({ repo, caller, write }, { id, content }) =>
    write((tx) => {
      requireComment(tx.db, repo.id, id)
      const taken = removeReaction(tx, id, content as ReactionContent, caller.id)
      if (!taken) insertReaction(tx, id, content as ReactionContent, caller.id)
      return { given: !taken }
    }),
})
