/**
 * What the pull requests ask of issues: an open one to work on, and its end when the work is
 * merged.
 */
import type { Db } from '#core/db.ts'
import type { Subject } from '#core/events.ts'
import { actorId } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import { invalid } from '#lib/errors.ts'
import { issueClosed } from './events.ts'
import { findIssue, setIssueClosed, type IssueRow } from './store-issues.ts'
import { findRecord } from './store-records.ts'

/** Gives 422 with the field when the number is not that of an open issue of the repository. */
export function requireOpenIssue(
  db: Db,
  repo_id: string,
  number: number,
  field = 'issue',
): IssueRow {
  const issue = findIssue(db, repo_id, number)
  if (!issue)
    throw invalid(
      field,
      findRecord(db, repo_id, number)
        ? `#${number} is a pull request, not an issue`
        : `there is no issue #${number}`,
    )
  if (issue.open === 0) throw invalid(field, `issue #${number} is closed; reopen it first`)
  return issue
}

/**
 * Closes an issue because the pull request `by_pull` was merged; gives whether it was open. A
 * closed one stays as it is. `as` names another actor than the caller, null for the service.
 */
export function resolveIssue(
  tx: Tx,
  repo: { id: string; workspace_id: string },
  number: number,
  by_pull: number,
  as?: { actor_id: string | null },
): boolean {
  const issue = findIssue(tx.db, repo.id, number)
  if (!issue || issue.open === 0) return false
  const closed_by = as ? as.actor_id : tx.caller && actorId(tx.caller)
  setIssueClosed(tx, repo.id, number, { reason: 'completed', resolved_by: by_pull, closed_by })
  const subject: Subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
  tx.append(issueClosed, subject, { number, reason: 'completed', resolved_by: by_pull }, as)
  return true
}
