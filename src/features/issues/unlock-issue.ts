import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { issueUpdated } from './events.ts'
import { requireIssue } from './require-records.ts'
import { issueRecord } from './issue-record.ts'
import { Issue } from './schema.ts'
import { setRecordLock } from './store-records.ts'
import { inRecord, issuePointers } from './untrusted-texts.ts'

export const unlockIssue = operation({
  name: 'unlock_issue',
  summary:
    'Let everyone who can see a locked issue comment on it again. Needs Write. The answer is the issue.',
  keywords: ['unlock a conversation', 'allow comments again'],
  route: 'DELETE /repos/{owner}/{name}/issues/{number}/lock',
  toolset: 'issues',
  access: writesRepo('write', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: ({ hearth, repo, write }, { number }) =>
    write((tx) => {
      const issue = requireIssue(tx.db, repo.id, number)
      if (issue.locked === 0) return issueRecord(hearth, issue)
      setRecordLock(tx, repo.id, number, false, null)
      const changed = issue.lock_reason === null ? ['locked'] : ['locked', 'lock_reason']
      tx.append(
        issueUpdated,
        { workspace_id: repo.workspace_id, repo_id: repo.id },
        { number, changed },
      )
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    }),
})
