import type { Tx } from '#core/write.ts'
import { subjectOf, type PullContext } from './context.ts'
import { pullUpdated } from './events.ts'
import type { PullRow } from './store.ts'

/** Tells which fields of a pull request changed. */
export function tellUpdated(
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
