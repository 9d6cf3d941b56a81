import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { issueUpdated } from './events.ts'
import { MAX_LOCK_REASON_LENGTH } from './inputs.ts'
import { requireIssue } from './require-records.ts'
import { issueRecord } from './issue-record.ts'
import { Issue, LOCK_REASONS } from './schema.ts'
import { refuseSecrets } from './secrets.ts'
import { setRecordLock } from './store-records.ts'
import { optionalLine } from './text.ts'
import { inRecord, issuePointers } from './untrusted-texts.ts'

export const lockIssue = operation({
  name: 'lock_issue',
  summary:
    'Let only those with Write comment on an issue, with a reason or without. Needs Write. The answer is the issue.',
  keywords: [
    'lock a conversation',
    'stop comments',
    'heated discussion',
    'moderate',
    'limit who may comment',
  ],
  route: 'PUT /repos/{owner}/{name}/issues/{number}/lock',
  toolset: 'issues',
  access: writesRepo('write', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    reason: Type.Optional(
      Type.String({
        maxLength: MAX_LOCK_REASON_LENGTH,
        description: `A short text, such as ${LOCK_REASONS.join(', ')}.`,
      }),
    ),
  }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: ({ hearth, db, repo, write }, { number, ...input }) => {
    const reason = optionalLine('reason', input.reason ?? null)
    if (reason !== null) refuseSecrets(db, repo.id, 'reason', reason)
    return write((tx) => {
      const issue = requireIssue(tx.db, repo.id, number)
      if (issue.locked === 1 && issue.lock_reason === reason) return issueRecord(hearth, issue)
      setRecordLock(tx, repo.id, number, true, reason)
      const changed = [
        ...(issue.locked === 1 ? [] : ['locked']),
        ...(issue.lock_reason === reason ? [] : ['lock_reason']),
      ]
      tx.append(
        issueUpdated,
        { workspace_id: repo.workspace_id, repo_id: repo.id },
        { number, changed },
      )
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
