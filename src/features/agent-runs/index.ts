/** The built-in agent at work: its loop, its tools, and what sends it back to work. */
import type { Db } from '#core/db.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { builtInStates, type BuiltInState } from '#features/agents/index.ts'
import { builtInAssignees } from '#features/issues/index.ts'
import { agentAssignments, measuredAgents } from '#features/pulls/index.ts'
import * as operations from './operations.ts'
import {
  endWithToken,
  reviseFailedChecks,
  reviseRequestedChanges,
  takeAnswers,
  waitAfterLoop,
} from './reactions.ts'
import { beginWaitingRuns } from './run-permits.ts'
import { removeProgramFiles, sweepProgramFiles } from './program/remove-files.ts'
import { endWithReview, reviewReactions } from './review/queue-review.ts'
import { reviewByAgent } from './review/review-by-agent.ts'
import { findReviewOfAgent } from './review/store.ts'
import { startAsAssignee, startRun } from './start-run.ts'
import { countQueuedBefore, findOpenCall, findRun } from './store.ts'
import { deliverMentions, deliverQuestions } from './incoming-messages.ts'
import { workAgent } from './work-agent.ts'

export * from './operations.ts'
export { PRESETS as PROGRAM_PRESETS, PROGRAM_KINDS } from './program/presets.ts'
export type { AgentProgram } from './program/schema.ts'

/** The states of runs as those of agents. */
const STATES = {
  queued: 'working',
  working: 'working',
  waiting: 'waiting',
  resting: 'idle',
  stopped: 'stopped',
  finished: 'finished',
} as const

function reviewerState(db: Db, agent_id: string): BuiltInState | null {
  const review = findReviewOfAgent(db, agent_id)
  const state = review?.state === 'queued' ? 'working' : 'idle'
  return (
    review && {
      state,
      waiting_for: null,
      asked: false,
      queued_before: null,
      state_since: review.state_at,
    }
  )
}

/** Null for an agent that does not work inside this process. */
function builtInState(db: Db, agent_id: string): BuiltInState | null {
  const run = findRun(db, agent_id)
  if (run === null) return reviewerState(db, agent_id)
  const isWaiting = run.state === 'waiting'
  return {
    state: STATES[run.state],
    waiting_for: isWaiting ? run.reason : null,
    asked: isWaiting && findOpenCall(db, agent_id)?.tool === 'ask',
    queued_before: run.state === 'queued' ? countQueuedBefore(db, run) : null,
    state_since: run.state_at,
  }
}

export const feature: Feature = {
  name: 'agent-runs',
  operations: Object.values(operations),
  reactions: [
    reviseFailedChecks,
    reviseRequestedChanges,
    deliverQuestions,
    deliverMentions,
    ...reviewReactions,
    endWithReview,
  ],
  handlers: [takeAnswers, endWithToken, waitAfterLoop, beginWaitingRuns],
  jobs: [workAgent, reviewByAgent, removeProgramFiles, sweepProgramFiles] as Job[],
  extensions: [
    agentAssignments.with(startRun),
    builtInAssignees.with(startAsAssignee),
    builtInStates.with(builtInState),
    // The forge calls the models of its own agents.
    measuredAgents.with((db, agent_id) => builtInState(db, agent_id) !== null),
  ],
}
