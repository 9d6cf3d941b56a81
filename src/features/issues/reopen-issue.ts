import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { reopenIssueAs } from './change-state.ts'
import { requireIssue } from './require-records.ts'
import { issueRecord } from './issue-record.ts'
import { isAuthor } from './authorship.ts'
import { Issue } from './schema.ts'
import { inRecord, issuePointers } from './untrusted-texts.ts'

export const reopenIssue = operation({
  name: 'reopen_issue',
  summary:
    'Open a closed issue again; pull requests closed with it stay closed. Its author, or Triage. The answer is the issue.',
  keywords: [
    'open an issue again',
    'open an issue again',
    'reopen a bug',
    'not fixed after all',
    'reopen a ticket',
  ],
  route: 'POST /v1/repos/{owner}/{name}/issues/{number}/reopen',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: ({ hearth, db, repo, caller, write }, { number }) => {
    if (!isAuthor(hearth, caller, requireIssue(db, repo.id, number).author_id))
      repo.require('triage')
    return write((tx) => {
      const issue = requireIssue(tx.db, repo.id, number)
      if (issue.open === 1) return issueRecord(hearth, issue)
      reopenIssueAs(tx, repo, number)
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
