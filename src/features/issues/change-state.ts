/** Closes and reopens issues inside a transaction, each with its event. */
import type { RepoGrant } from '#core/access.ts'
import type { Tx } from '#core/write.ts'
import { issueClosed, issueReopened } from './events.ts'
import type { CloseReason } from './schema.ts'
import { setIssueClosed, setIssueReopened } from './store-issues.ts'

type Place = Pick<RepoGrant, 'id' | 'workspace_id'>

/** Closes an open issue. */
export function closeIssueAs(
  tx: Tx,
  repo: Place,
  number: number,
  closed_by: string,
  reason: CloseReason = 'completed',
): void {
  setIssueClosed(tx, repo.id, number, { reason, resolved_by: null, closed_by })
  const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
  tx.append(issueClosed, subject, { number, reason, resolved_by: null })
}

/** Opens a closed issue again. */
export function reopenIssueAs(tx: Tx, repo: Place, number: number): void {
  setIssueReopened(tx, repo.id, number)
  tx.append(issueReopened, { workspace_id: repo.workspace_id, repo_id: repo.id }, { number })
}
