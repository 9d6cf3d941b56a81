/** The built-in agent at work: its loop, its tools, and what sends it back to work. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { builtInStates } from '#features/agents/index.ts'
import { builtInAssignees } from '#features/issues/index.ts'
import { agentAssignments } from '#features/pulls/index.ts'
import * as operations from './operations.ts'
import {
  endWithToken,
  reviseFailedChecks,
  reviseRequestedChanges,
  takeAnswers,
} from './reactions.ts'
import { startAsAssignee, startRun } from './start-run.ts'
import { findOpenCall, findRun } from './store.ts'
import { workAgent } from './work-agent.ts'

export * from './operations.ts'

/** The states of runs as those of agents. */
const STATES = {
  queued: 'working',
  working: 'working',
  waiting: 'waiting',
  resting: 'idle',
  stopped: 'stopped',
  finished: 'finished',
} as const

export const feature: Feature = {
  name: 'agent-runs',
  operations: Object.values(operations),
  reactions: [reviseFailedChecks, reviseRequestedChanges],
  handlers: [takeAnswers, endWithToken],
  jobs: [workAgent] as Job[],
  extensions: [
    agentAssignments.with(startRun),
    builtInAssignees.with(startAsAssignee),
    builtInStates.with((db, agent_id) => {
      const run = findRun(db, agent_id)
      if (run === null) return null
      const isWaiting = run.state === 'waiting'
      return {
        state: STATES[run.state],
        waiting_for: isWaiting ? run.reason : null,
        asked: isWaiting && findOpenCall(db, agent_id)?.tool === 'ask',
      }
    }),
  ],
}
