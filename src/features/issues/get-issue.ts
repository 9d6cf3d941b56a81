import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { commentsOf } from './comments/comment-record.ts'
import { requireIssue } from './require-records.ts'
import { issueOverview } from './issue-record.ts'
import { IssueDetail } from './schema.ts'
import { inIssueDetail } from './untrusted-texts.ts'

/** Comments in the response; list_comments returns the rest. */
const MAX_COMMENTS = 100

export const getIssue = operation({
  name: 'get_issue',
  summary:
    'Read an issue of a repository that you can see: the issue with its checks, every pull request made for it with its status, and the first 100 comments.',
  keywords: ['read an issue', 'show a ticket', 'issue details', 'bug details', 'view an issue'],
  route: 'GET /v1/repos/{owner}/{name}/issues/{number}',
  toolset: 'issues',
  listed: 'core',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: IssueDetail,
  untrusted: inIssueDetail,

  handler: ({ hearth, db, repo }, { number }) => {
    const overview = issueOverview(hearth, requireIssue(db, repo.id, number))
    const comments =
      overview.comments_count === 0
        ? []
        : commentsOf(hearth, repo.id, number, { limit: MAX_COMMENTS })
    return { ...overview, comments }
  },
})
