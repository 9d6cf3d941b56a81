/** What queued jobs ask of runners, for the people who own the runners. */
import type { Db } from '#core/db.ts'
import { listQueuedLabels } from '#features/workflows/index.ts'
import type { QueuedLabels } from './schema.ts'
import type { RunnerOwner } from './store-runners.ts'

const MAX_GROUPS = 100

/** Sets of labels with their jobs, those that wait for longest first. */
export const queueDemand = (db: Db, owner: RunnerOwner): QueuedLabels[] =>
  listQueuedLabels(db, owner, MAX_GROUPS).map(({ labels, jobs, since, served }) => ({
    labels: JSON.parse(labels) as string[],
    jobs,
    since,
    served: served > 0,
  }))
