import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { issueClosed } from './events.ts'
import { requireIssue } from './require-records.ts'
import { issueRecord } from './issue-record.ts'
import { isAuthor } from './authorship.ts'
import { CLOSE_REASONS, Issue } from './schema.ts'
import { setIssueClosed, setIssueReason } from './store-issues.ts'
import { inRecord, issuePointers } from './untrusted-texts.ts'

export const closeIssue = operation({
  name: 'close_issue',
  summary:
    'Close an issue as completed (unless said) or not_planned; on a closed one, change the reason. Its author, or Triage. The answer is the issue.',
  keywords: [
    'resolve an issue',
    "won't fix",
    'wontfix',
    'done with a ticket',
    'mark as completed',
    'not planned',
    'close a bug',
  ],
  route: 'POST /v1/repos/{owner}/{name}/issues/{number}/close',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    reason: Type.Optional(OneOf(CLOSE_REASONS, { description: 'completed unless given.' })),
  }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: ({ hearth, db, repo, caller, write }, { number, reason = 'completed' }) => {
    if (!isAuthor(hearth, caller, requireIssue(db, repo.id, number).author_id))
      repo.require('triage')
    return write((tx) => {
      const issue = requireIssue(tx.db, repo.id, number)
      if (issue.reason === reason) return issueRecord(hearth, issue)
      if (issue.open === 1)
        setIssueClosed(tx, repo.id, number, { reason, resolved_by: null, closed_by: caller.id })
      else setIssueReason(tx, repo.id, number, reason)
      tx.append(
        issueClosed,
        { workspace_id: repo.workspace_id, repo_id: repo.id },
        { number, reason, resolved_by: null },
      )
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
