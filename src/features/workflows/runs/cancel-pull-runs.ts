/** Runs of a pull request that wait for an approval give way to those of its newer head. */
import type { Tx } from '#core/write.ts'
import { endRun } from './end-run.ts'
import type { Occasion } from '../triggers/occasion.ts'
import { listOpenRuns } from './store-runs.ts'

export function cancelPullRuns(
  tx: Tx,
  { repo, pull }: Occasion,
  workflow_id: string,
  newest: string,
): void {
  for (const run of listOpenRuns(tx.db, repo.id))
    if (
      run.pull === pull &&
      run.workflow_id === workflow_id &&
      run.id !== newest &&
      run.waiting_for === 'approval'
    )
      endRun(tx, run, 'cancelled', 'A newer run waits for the approval')
}
