/** Changes the labels and the state of an issue together, as a column of a board asks. */
import type { RepoGrant } from '#core/access.ts'
import type { Tx } from '#core/write.ts'
import { closeIssueAs, reopenIssueAs } from './change-state.ts'
import { changedValues, fieldValues } from './changed-values.ts'
import { issueUpdated } from './events.ts'
import { setLabels } from './labels/set-labels.ts'
import { requireIssue } from './require-records.ts'

/** Needs triage, which the caller checks, because an unknown label is created. */
export function moveIssue(
  tx: Tx,
  repo: Pick<RepoGrant, 'id' | 'workspace_id'>,
  number: number,
  to: { labels: readonly string[]; open: boolean; moved_by: string },
): void {
  const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
  const issue = requireIssue(tx.db, repo.id, number)
  const before = fieldValues(tx.hearth, tx.db, repo.id, number)
  if (setLabels(tx, repo, number, to.labels, { mayCreate: true })) {
    const values = changedValues(before, fieldValues(tx.hearth, tx.db, repo.id, number))
    tx.append(issueUpdated, subject, { number, changed: ['labels'], values })
  }
  if (to.open && issue.open === 0) reopenIssueAs(tx, repo, number)
  if (!to.open && issue.open === 1) closeIssueAs(tx, repo, number, to.moved_by)
}
