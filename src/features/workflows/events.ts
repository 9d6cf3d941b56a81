/** Events of workflows. */
import { event, internalEvent } from '#core/events.ts'
import { Nullable, Type } from '#core/schema.ts'

/** A run ended. Part of the public interface. */
export const workflowCompleted = event(
  'workflow.completed',
  Type.Object({
    workflow: Type.String({ description: 'The name of the workflow.' }),
    workflow_id: Type.String(),
    conclusion: Type.String(),
    run_id: Type.String(),
    sha: Type.String(),
    pull: Nullable(Type.Integer()),
    attempt: Type.Integer(),
  }),
  ({ workflow, conclusion, sha }) =>
    `the workflow ${workflow} ended as ${conclusion.replaceAll('_', ' ')} on ${sha.slice(0, 7)}`,
)

/** Jobs wait for a runner: runners take them with `takeQueuedJob`. */
export const jobsQueued = internalEvent('workflows.jobs_queued', Type.Object({}))

/** A job was queued, taken by a runner, put back into the queue, or has ended. */
export const jobChanged = internalEvent(
  'workflows.job_changed',
  Type.Object({
    job_id: Type.String(),
    url: Type.Optional(Type.String({ description: 'The address of its environment, at its end.' })),
  }),
)

export const events = [workflowCompleted]

/** A run is deleted with its jobs: files of its jobs can go. Emitted before its rows are. */
export const runRemoved = internalEvent(
  'workflows.run_removed',
  Type.Object({ run_id: Type.String() }),
)
