import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { refuseFork, requireContribution, requireIssue } from './require-records.ts'
import {
  AssigneesInput,
  BlockedByInput,
  BodyInput,
  ChecksInput,
  LabelsInput,
  MilestoneInput,
  TitleInput,
} from './inputs.ts'
import { issueRecord } from './issue-record.ts'
import { openIssue } from './open-issue.ts'
import { Issue } from './schema.ts'
import { refuseSecrets } from './secrets.ts'
import { manyLines, oneLine, validChecks } from './text.ts'
import { inRecord, issuePointers } from './untrusted-texts.ts'

export const createIssue = operation({
  name: 'create_issue',
  summary:
    'Open an issue: what is wrong or wanted, and the commands (checks) that a pull request for it must pass. Anyone who can see the repository may, unless its settings say otherwise.',
  keywords: [
    'report a bug',
    'new issue',
    'file a ticket',
    'open a ticket',
    'feature request',
    'new task',
    'raise an issue',
  ],
  route: 'POST /v1/repos/{owner}/{name}/issues',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('read', { scope: 'issues:write' }),
  input: Type.Object({
    repo: RepoPath,
    title: TitleInput,
    body: Type.Optional(BodyInput),
    labels: Type.Optional(LabelsInput),
    checks: Type.Optional(ChecksInput),
    assignees: Type.Optional(AssigneesInput),
    milestone: Type.Optional(MilestoneInput),
    blocked_by: Type.Optional(BlockedByInput),
  }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: ({ hearth, db, repo, caller, write }, { title, body = '', checks = [], ...rest }) => {
    refuseFork(repo)
    requireContribution(hearth, repo, caller)
    const text = {
      title: oneLine('title', title),
      body: manyLines('body', body),
      checks: validChecks(checks),
    }
    refuseSecrets(db, repo.id, 'title', text.title)
    refuseSecrets(db, repo.id, 'body', text.body)
    for (const check of text.checks) refuseSecrets(db, repo.id, 'checks', check)
    return write((tx) => {
      const number = openIssue(tx, repo, caller, { ...rest, ...text })
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
