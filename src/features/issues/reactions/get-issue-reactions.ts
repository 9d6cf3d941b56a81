import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requireRecord } from '../require-records.ts'
import { ReactionCounts } from '../schema.ts'
import { countRecordReactions } from './store-record-reactions.ts'

export const getIssueReactions = operation({
  name: 'get_issue_reactions',
  summary: 'Count the reactions to an issue or pull request itself.',
  keywords: ['votes for an issue', 'how many thumbs up'],
  route: 'GET /repos/{owner}/{name}/issues/{number}/reactions',
  toolset: 'issues',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: ReactionCounts,

  handler: ({ db, repo }, { number }) => {
    requireRecord(db, repo.id, number)
    return countRecordReactions(db, repo.id, number)
  },
})
