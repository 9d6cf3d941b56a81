import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { allocateNumber } from '#features/repos/index.ts'
import { typeId } from '#core/ids.ts'
import { usernamesOf } from './assignees/assignable.ts'
import { issueAssigned, issueOpened } from './events.ts'
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
import { Issue } from './schema.ts'
import { changeBlockers, changeMilestone } from './change-issue.ts'
import { setAssignees, setLabels } from './labels/set-labels.ts'
import { assigneeIdsOf } from './assignees/store-assignees.ts'
import { insertIssue } from './store-issues.ts'
import { manyLines, oneLine, validChecks } from './text.ts'
import { inRecord, issuePointers } from './untrusted-texts.ts'

export const createIssue = operation({
  name: 'create_issue',
  summary:
    'Open an issue: what is wrong or wanted, and the commands (checks) that a pull request for it must pass. Anyone who can see the repository may, unless its settings say otherwise. The answer is the issue with its number.',
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

  handler: (
    { hearth, repo, caller, write },
    { labels, assignees, milestone, blocked_by, ...input },
  ) => {
    refuseFork(repo)
    requireContribution(hearth, repo, caller)
    const title = oneLine('title', input.title)
    const body = manyLines('body', input.body ?? '')
    const checks = validChecks(input.checks ?? [])
    return write((tx) => {
      const number = allocateNumber(tx, repo.id)
      insertIssue(tx, {
        id: typeId('iss', tx.now_ms),
        repo_id: repo.id,
        number,
        title,
        body,
        checks,
        author_id: caller.id,
      })
      const issue = requireIssue(tx.db, repo.id, number)
      if (labels) setLabels(tx, repo, number, labels, { mayCreate: repo.can('triage') })
      if (milestone) changeMilestone(tx, issue, milestone)
      if (blocked_by) changeBlockers(tx, issue, blocked_by)
      const assigned = assignees ? setAssignees(tx, repo, number, assignees) : false
      const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
      tx.append(issueOpened, subject, { number })
      if (assigned)
        tx.append(issueAssigned, subject, {
          number,
          assignees: usernamesOf(hearth, assigneeIdsOf(tx.db, repo.id, number)),
        })
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
