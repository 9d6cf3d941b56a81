/** Runners elsewhere: which jobs they take. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { JobRunner, RunnerKind } from '#features/workflows/index.ts'
import {
  findRunner,
  hasRegisteredRunner,
  listRunnersFor,
  type RunnerOwner,
  type RunnerRow,
} from './store-runners.ts'
import { hasTask, insertTask } from './store-tasks.ts'
import { sealMasks } from './task-masks.ts'

const hasLabels = (row: RunnerRow, labels: readonly string[]): boolean => {
  const own = JSON.parse(row.labels) as string[]
  return labels.every((label) => own.includes(label.toLowerCase()))
}

type JobOwner = { readonly repo_id: string; readonly workspace_id: string }

const serves = (runner: RunnerOwner, job: JobOwner): boolean =>
  runner.repo_id !== null
    ? runner.repo_id === job.repo_id
    : runner.workspace_id === null || runner.workspace_id === job.workspace_id

/** Whether a runner elsewhere has these labels and serves the repository. */
export const acceptsElsewhere = (
  { db }: Pick<Hearth, 'db'>,
  labels: readonly string[],
  { repo_id, workspace_id }: JobOwner,
): boolean => listRunnersFor(db, repo_id, workspace_id).some((row) => hasLabels(row, labels))

export const externalKind: RunnerKind = {
  name: 'external',
  isOn: ({ db }) => hasRegisteredRunner(db),
  accepts: acceptsElsewhere,
}

/** Not when it was removed, nor when it is for one job and had one. */
function mayClaim(db: Db, id: string): boolean {
  const runner = findRunner(db, id)
  return runner !== null && (runner.ephemeral === 0 || !hasTask(db, id))
}

/** `request_key` names the request that the job answers. */
export const externalRunner = (row: RunnerRow, request_key: string | null = null): JobRunner => ({
  id: row.id,
  name: row.name,
  accepts: (labels) => hasLabels(row, labels),
  serves: (job) => serves(row, job),
  takesUntrusted: row.accepts_untrusted === 1,
  mayClaim: (db) => mayClaim(db, row.id),
  onClaim: (tx, job, token) => {
    const masks = token === '' ? [] : [token]
    insertTask(tx, {
      job_id: job.id,
      runner_id: row.id,
      request_key,
      masks: sealMasks(tx.hearth, job.id, masks),
    })
  },
})
