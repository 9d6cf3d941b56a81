/** Events that may start runs. Their transaction only adds a job. */
import { reaction } from '#core/events.ts'
import type { EventRow } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import {
  pullClosed,
  pullMerged,
  pullOpened,
  pullReady,
  pullUpdated,
} from '#features/pulls/index.ts'
import { gitPush, repoArchived } from '#features/repos/index.ts'
import { cancelRunNow } from './end-run.ts'
import { runnerKinds } from './extension-points.ts'
import { jobOfCaller } from './job-token.ts'
import { pullAction } from './occasion.ts'
import { planRuns } from './plan-runs.ts'
import { listOpenRuns } from './store-runs.ts'

/** What a job does with its token starts nothing, so that no workflow starts itself for ever. */
function plan(tx: Tx, event: EventRow): void {
  if (runnerKinds(tx.hearth).length > 0 && jobOfCaller(tx.db, tx.caller) === null)
    tx.enqueue(planRuns, { event_id: event.id }, { key: event.id })
}

const onPush = reaction('workflows run for pushes', gitPush, (tx, event) => {
  if (event.data.after !== null) plan(tx, event as EventRow)
})

const onPull = [pullOpened, pullReady, pullUpdated, pullClosed, pullMerged].map((type) =>
  reaction('workflows run for pull requests', type as typeof pullOpened, (tx, event) => {
    if (pullAction(event as EventRow) !== null) plan(tx, event as EventRow)
  }),
)

const onArchived = reaction(
  'archived repositories run nothing',
  repoArchived,
  (tx, { repo_id }) => {
    if (repo_id === null) return
    for (const run of listOpenRuns(tx.db, repo_id))
      cancelRunNow(tx, run, null, 'The repository was archived')
  },
)

export const reactions = [onPush, ...onPull, onArchived]
