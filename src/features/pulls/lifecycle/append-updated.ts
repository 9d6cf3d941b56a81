import type { Tx } from '#core/write.ts'
import { subjectOf, type PullContext } from '../pull-context.ts'
import { pullUpdated } from '../events.ts'
import type { PullRow } from '../store-pulls.ts'

/** Appends `pull.updated` with the names of the changed fields. */
export function appendPullUpdated(
  tx: Tx,
  context: PullContext,
  { number, issue, head_sha }: Pick<PullRow, 'number' | 'issue' | 'head_sha'>,
  changed: readonly string[],
): void {
  tx.append(pullUpdated, subjectOf(context), {
    number,
    issue,
    changed: [...changed],
    head: head_sha,
  })
}
