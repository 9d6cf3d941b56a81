/** Changes the text of an issue that an event opened. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { changedValues, fieldValues, issueUpdated, setIssueText } from '#features/issues/index.ts'
import type { IssueText } from './issue-text.ts'

/** The address of a repository. */
export const homeOf = ({ settings }: Hearth, { full_name }: { full_name: string }): string =>
  `${settings.site_url}/${full_name}`

export function rewriteIssue(
  tx: Tx,
  repo: RepoGrant,
  issue: IssueText & { readonly number: number },
  text: IssueText,
): void {
  const before = fieldValues(tx.hearth, tx.db, repo.id, issue.number)
  const changed = [
    ...(issue.title === text.title ? [] : ['title']),
    ...(issue.body === text.body ? [] : ['body']),
  ]
  setIssueText(tx, repo.id, issue.number, text)
  const values = changedValues(before, fieldValues(tx.hearth, tx.db, repo.id, issue.number))
  tx.append(
    issueUpdated,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    { number: issue.number, changed, values },
  )
}
