/** Used by pull requests: find an open issue, and close it by a merge. */
import type { Db } from '#core/db.ts'
import type { Subject } from '#core/events.ts'
import { actorId } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import { invalid } from '#lib/errors.ts'
import { issueClosed } from './events.ts'
import { findIssue, setIssueClosed, type IssueRow } from './store-issues.ts'
import { findRecord } from './store-records.ts'

/** Throws 422 at the field unless the number is of an open issue of the repository. */
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
 * Closes an issue because the pull request `by_pull` was merged. Returns whether it was open; a
 * closed issue stays as it is. `as` is the actor of the event: null for the service, the caller
 * when left out.
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
