/** Opens issues inside a transaction, for `create_issue` and for features that open several. */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import { allocateNumber } from '#features/repos/index.ts'
import { usernamesOf } from './assignees/assignable.ts'
import { assigneeIdsOf } from './assignees/store-assignees.ts'
import { changeBlockers, changeMilestone } from './change-issue.ts'
import { issueAssigned, issueOpened } from './events.ts'
import { setAssignees, setLabels } from './labels/set-labels.ts'
import { requireIssue } from './require-records.ts'
import { insertIssue } from './store-issues.ts'

/** An issue whose texts were validated. */
export type NewIssue = {
  readonly title: string
  readonly body: string
  readonly checks: string[]
  readonly labels?: readonly string[]
  readonly assignees?: string[]
  readonly milestone?: string
  readonly blocked_by?: readonly number[]
}

/** Opens an issue and returns its number. The caller must be allowed to contribute. */
export function openIssue(
  tx: Tx,
  repo: RepoGrant,
  caller: SignedIn,
  { title, body, checks, labels, assignees, milestone, blocked_by }: NewIssue,
): number {
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
  if (labels) setLabels(tx, repo, number, labels, { mayCreate: repo.can('triage') })
  if (milestone) changeMilestone(tx, requireIssue(tx.db, repo.id, number), milestone)
  if (blocked_by) blockIssue(tx, repo, number, blocked_by)
  const assigned = assignees ? setAssignees(tx, repo, number, assignees) : false
  const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
  tx.append(issueOpened, subject, { number })
  if (assigned)
    tx.append(issueAssigned, subject, {
      number,
      assignees: usernamesOf(tx.hearth, assigneeIdsOf(tx.db, repo.id, number)),
    })
  return number
}

/** Makes an issue that was just opened wait for others. Throws 422 for a cycle. */
export const blockIssue = (
  tx: Tx,
  repo: Pick<RepoGrant, 'id'>,
  number: number,
  blocked_by: readonly number[],
): void => void changeBlockers(tx, requireIssue(tx.db, repo.id, number), blocked_by)
