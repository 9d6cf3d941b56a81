/**
 * Workflows: files that say which jobs run for which events. This feature plans runs and decides
 * about their jobs; runners (a later feature) take the jobs from its queue. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import {
  tokenRuns,
  commitContexts,
  repoDataRemovers,
  retainedCommits,
  runFailures,
} from '#features/repos/index.ts'
import { usageCounters } from '#features/workspaces/index.ts'
import { lookForWorkflows } from './files/commits-without-workflows.ts'
import { problemsOfPush } from './files/push-problems.ts'
import { candidateGate, followCandidateRuns, planCandidate } from './triggers/candidate-gate.ts'
import { contextsOfRuns } from './commit-results.ts'
import { endCancelled, endCancelledJob } from './runs/end-run.ts'
import { events } from './events.ts'
import { failureOfRun } from './runs/run-failure.ts'
import { jobGates } from './extension-points.ts'
import * as operations from './operations.ts'
import { idTokenRoutes } from './id-tokens/routes.ts'
import { findWorkflows, planRuns } from './runs/plan-runs.ts'
import { retainedCommitsOfRuns } from './retained-commits.ts'
import { enqueueScheduling, scheduleJobs } from './jobs/schedule-jobs.ts'
import { removeRunsOfRepo } from './runs/store-runs.ts'
import { planScheduled, startScheduledRuns } from './triggers/schedules.ts'
import { checkRunners, sweepRuns } from './sweep.ts'
import { runMinutesGate } from './jobs/run-time.ts'
import { countRunMinutes } from './jobs/store-run-time.ts'
import { findRunOfToken } from './jobs/store-tokens.ts'
import { onArrived, onFailedOver, reactions } from './triggers/triggers.ts'

export * from './operations.ts'
export * from './schema.ts'
export { jobChanged, jobsQueued, runRemoved } from './events.ts'
export {
  jobGates,
  jobLogs,
  workflowRunners,
  type JobGate,
  type JobHold,
  type JobLogReader,
  type RunnerKind,
} from './extension-points.ts'
export {
  endInterruptedHere,
  endJobsOfRunner,
  explainQueued,
  finishJob,
  finishJobNow,
  requeueUndeliveredJob,
  requeueUnacknowledgedJob,
  renewLease,
  reportSteps,
  reportStepsNow,
  takenJob,
  takeQueuedJob,
  TOKEN_SECRETS,
  type JobResult,
  type JobRunner,
  type JobToRun,
  type LogReport,
  type StepReport,
} from './jobs/queue.ts'
export type { JobRow } from './jobs/store-jobs.ts'
export { requestScheduling } from './jobs/request-scheduling.ts'
export { findJob } from './jobs/store-jobs.ts'
export { expireLog, listQueuedLabels, setLogStored } from './jobs/store-jobs.ts'
export { hasWorkflows } from './files/store-workflows.ts'
export { FIRST_WORKFLOW } from './files/first-workflow.ts'
export { declaredInputs, type DeclaredInput } from './files/declared-inputs.ts'
export { RunId } from './inputs.ts'
export { jobScope, type JobScope } from './jobs/job-scope.ts'
export { requireOwnRuns, requireRun } from './records.ts'
export { actorOfRun, repoOfRun } from './runs/store-runs.ts'
export { jobServices, RUNTIME_SECRET, type JobServices } from './jobs/job-services.ts'
export { jobOfRequest, runtimeToken, type RunningJob } from './jobs/runtime-token.ts'

export const feature: Feature = {
  name: 'workflows',
  operations: Object.values(operations),
  events,
  reactions: [...reactions, followCandidateRuns],
  handlers: [enqueueScheduling, onFailedOver, onArrived],
  jobs: [
    planRuns,
    findWorkflows,
    planScheduled,
    planCandidate,
    startScheduledRuns,
    scheduleJobs,
    endCancelled,
    endCancelledJob,
    checkRunners,
    sweepRuns,
  ] as Job[],
  extensions: [
    commitContexts.with(contextsOfRuns),
    repoDataRemovers.with(removeRunsOfRepo),
    retainedCommits.with(retainedCommitsOfRuns),
    lookForWorkflows,
    problemsOfPush,
    candidateGate,
    tokenRuns.with(findRunOfToken),
    runFailures.with(failureOfRun),
    jobGates.with(runMinutesGate),
    usageCounters.with({ part: 'run_minutes_this_month', count: countRunMinutes }),
    ...idTokenRoutes.map((route) => protocolRoutes.with(route)),
  ],
}
