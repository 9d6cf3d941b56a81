import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requireRecord } from '../require-records.ts'
import { REACTIONS, ReactionCounts } from '../schema.ts'
import { countRecordReactions, removeRecordReaction } from './store-record-reactions.ts'

export const unreactToIssue = operation({
  name: 'unreact_to_issue',
  summary: 'Take your own reaction off an issue or pull request itself. The answer is its counts.',
  keywords: ['take back a vote', 'unlike an issue'],
  route: 'DELETE /repos/{owner}/{name}/issues/{number}/reactions/{content}',
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, number: RecordNumber, content: OneOf(REACTIONS) }),
  output: ReactionCounts,
  status: 200,

  handler: ({ repo, caller, write }, { number, content }) =>
    write((tx) => {
      requireRecord(tx.db, repo.id, number)
      removeRecordReaction(tx, repo.id, number, content, caller.id)
      return countRecordReactions(tx.db, repo.id, number)
    }),
})
