import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requireRecord } from '../require-records.ts'
import { REACTIONS, ReactionCounts } from '../schema.ts'
import { countRecordReactions, insertRecordReaction } from './store-record-reactions.ts'

export const reactToIssue = operation({
  name: 'react_to_issue',
  summary:
    'Put your reaction on an issue or pull request itself; anyone who can see it may. The answer is its counts.',
  keywords: ['thumbs up an issue', 'vote for an issue', 'like a pull request'],
  route: 'PUT /repos/{owner}/{name}/issues/{number}/reactions/{content}',
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, number: RecordNumber, content: OneOf(REACTIONS) }),
  output: ReactionCounts,
  status: 200,

  handler: ({ repo, caller, write }, { number, content }) =>
    write((tx) => {
      requireRecord(tx.db, repo.id, number)
      insertRecordReaction(tx, repo.id, number, content, caller.id)
      return countRecordReactions(tx.db, repo.id, number)
    }),
})
