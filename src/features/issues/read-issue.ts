import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { issueOverview } from './issue-record.ts'
import { requireIssue } from './require-records.ts'
import { IssueOverview } from './schema.ts'
import { inIssueDetail } from './untrusted-texts.ts'

/** Used by the website only, which reads comments in parts. */
export const readIssue = operation({
  name: 'read_issue',
  summary: 'An issue with every pull request made for it, without comments.',
  route: null,
  toolset: 'issues',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: IssueOverview,
  untrusted: inIssueDetail,

  handler: ({ hearth, db, repo }, { number }) =>
    issueOverview(hearth, requireIssue(db, repo.id, number)),
})
