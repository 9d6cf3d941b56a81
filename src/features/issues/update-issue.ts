import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { usernamesOf } from './assignees/assignable.ts'
import { changedValues, fieldValues } from './changed-values.ts'
import { issueAssigned, issueUpdated } from './events.ts'
import { requireIssue } from './require-records.ts'
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
import { isAuthor } from './authorship.ts'
import { Issue } from './schema.ts'
import { changeBlockers, changeMilestone } from './change-issue.ts'
import { setAssignees, setLabels } from './labels/set-labels.ts'
import { refuseSecrets } from './secrets.ts'
import { assigneeIdsOf } from './assignees/store-assignees.ts'
import { setIssueChecks, setIssueText } from './store-issues.ts'
import { touchRecord } from './store-records.ts'
import { manyLines, oneLine, validChecks } from './text.ts'
import { inRecord, issuePointers } from './untrusted-texts.ts'

export const updateIssue = operation({
  name: 'update_issue',
  summary:
    'Change an issue. Title and body: its author, or Maintain; everything else: Triage. labels, assignees, checks and blocked_by each replace the whole set.',
  keywords: [
    'put a label on an issue',
    'label an issue',
    'assign somebody',
    'add a label',
    'change assignee',
    'edit an issue',
    'change title',
    'edit description',
    'set a milestone',
    'mark as blocked',
    'unassign',
    'remove a label from an issue',
    'rename an issue',
  ],
  route: 'PATCH /v1/repos/{owner}/{name}/issues/{number}',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    title: Type.Optional(TitleInput),
    body: Type.Optional(BodyInput),
    labels: Type.Optional(LabelsInput),
    assignees: Type.Optional(AssigneesInput),
    checks: Type.Optional(ChecksInput),
    milestone: Type.Optional(Nullable(MilestoneInput)),
    blocked_by: Type.Optional(BlockedByInput),
  }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: (
    { hearth, db, repo, caller, write },
    { number, labels, assignees, milestone, blocked_by, ...input },
  ) => {
    const { author_id } = requireIssue(db, repo.id, number)
    if (
      (input.title !== undefined || input.body !== undefined) &&
      !isAuthor(hearth, caller, author_id)
    )
      repo.require('maintain')
    if (
      [labels, assignees, input.checks, milestone, blocked_by].some((value) => value !== undefined)
    )
      repo.require('triage')
    const title = input.title === undefined ? undefined : oneLine('title', input.title)
    const body = input.body === undefined ? undefined : manyLines('body', input.body)
    const checks = input.checks && validChecks(input.checks)
    refuseSecrets(db, repo.id, 'title', title ?? '')
    refuseSecrets(db, repo.id, 'body', body ?? '')
    for (const check of checks ?? []) refuseSecrets(db, repo.id, 'checks', check)
    return write((tx) => {
      const issue = requireIssue(tx.db, repo.id, number)
      const before = fieldValues(hearth, tx.db, repo.id, number)
      const text = { title: title ?? issue.title, body: body ?? issue.body }
      const changed: string[] = []
      if (text.title !== issue.title) changed.push('title')
      if (text.body !== issue.body) changed.push('body')
      if (changed.length > 0) setIssueText(tx, repo.id, number, text)
      if (checks && JSON.stringify(checks) !== JSON.stringify(issue.checks)) {
        setIssueChecks(tx, repo.id, number, checks)
        changed.push('checks')
      }
      if (labels && setLabels(tx, repo, number, labels, { mayCreate: true })) changed.push('labels')
      if (milestone !== undefined && changeMilestone(tx, issue, milestone))
        changed.push('milestone')
      if (blocked_by && changeBlockers(tx, issue, blocked_by)) changed.push('blocked_by')
      const assigned = assignees ? setAssignees(tx, repo, number, assignees) : false

      const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
      const values = changedValues(before, fieldValues(hearth, tx.db, repo.id, number))
      const { assignees: who, ...others } = values ?? {}
      if (changed.length > 0) {
        touchRecord(tx, repo.id, number)
        tx.append(issueUpdated, subject, { number, changed, values: others })
      }
      if (assigned)
        tx.append(issueAssigned, subject, {
          number,
          assignees: usernamesOf(hearth, assigneeIdsOf(tx.db, repo.id, number)),
          values: who && { assignees: who },
        })
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
