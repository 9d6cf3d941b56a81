import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { fieldValues, type ChangedValues, type FieldValues } from '#features/issues/index.ts'
import { requestedReviewers } from '../reviews/reviewers.ts'
import { subjectOf, type PullContext } from '../pull-context.ts'
import { pullUpdated } from '../events.ts'
import type { PullRow } from '../store-pulls.ts'

/** The short fields of a pull request, for what changes in them. */
export const pullFieldValues = (
  hearth: Hearth,
  db: Db,
  { id, repo_id, number, base_ref }: Pick<PullRow, 'id' | 'repo_id' | 'number' | 'base_ref'>,
): FieldValues => {
  const { users, agents } = requestedReviewers(hearth, [id])(id)
  return {
    ...fieldValues(hearth, db, repo_id, number),
    base: [base_ref],
    // Without teams, because a team may become secret later.
    requested_reviewers: [...users, ...agents].map(({ username }) => username),
  }
}

/** Appends `pull.updated` with the names of the changed fields, and the values before and after. */
export function appendPullUpdated(
  tx: Tx,
  context: PullContext,
  { number, issue, head_sha }: Pick<PullRow, 'number' | 'issue' | 'head_sha'>,
  changed: readonly string[],
  values?: ChangedValues,
): void {
  tx.append(pullUpdated, subjectOf(context), {
    number,
    issue,
    changed: [...changed],
    head: head_sha,
    values,
  })
}
