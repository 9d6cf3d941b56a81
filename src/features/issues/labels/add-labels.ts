/** Adds labels to an issue inside a transaction, with the event. */
import type { Tx } from '#core/write.ts'
import type { RepoRef } from '../assignees/assignable.ts'
import { changedValues, fieldValues } from '../changed-values.ts'
import { issueUpdated } from '../events.ts'
import { setLabels } from './set-labels.ts'
import { labelsOf } from './store-labels.ts'

/** `actor_id` names another actor than the caller. Without `mayCreate`, unknown names are refused. */
export function addLabels(
  tx: Tx,
  repo: Pick<RepoRef, 'id' | 'workspace_id'>,
  number: number,
  names: readonly string[],
  { mayCreate = false, actor_id }: { mayCreate?: boolean; actor_id?: string } = {},
): void {
  const before = fieldValues(tx.hearth, tx.db, repo.id, number)
  const labels = [...labelsOf(tx.db, repo.id, number), ...names]
  if (!setLabels(tx, repo, number, labels, { mayCreate })) return
  tx.append(
    issueUpdated,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    {
      number,
      changed: ['labels'],
      values: changedValues(before, fieldValues(tx.hearth, tx.db, repo.id, number)),
    },
    actor_id === undefined ? undefined : { actor_id },
  )
}
