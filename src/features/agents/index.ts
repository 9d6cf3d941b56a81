/**
 * Software agents: starting and stopping them, their rights, state and costs, and questions to
 * them. A leaf feature.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { sessionWriters } from '#features/pulls/index.ts'
import {
  agentEndReactions,
  stopAgentsAtCap,
  stopAgentsAtCostLimit,
  endAgentsWithTokens,
} from './end-agent.ts'
import { agentAsked } from './events.ts'
import { recordAnswers, sweepQuestions } from './questions.ts'
import { isStartedFor } from './started-for.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { DEFAULT_AGENT_SCOPES } from './create-agent.ts'
export { agentRecord } from './agent-record.ts'
export { AgentId } from './get-agent.ts'
export { isBuiltIn, requireMayStartAgents } from './agents-of-agents.ts'
export { requireAgent } from './require-agent.ts'
export { stopAgentAtCost } from './end-agent.ts'
export { builtInStates, type BuiltInState } from './extension-points.ts'
export {
  BUILT_IN_AGENT,
  builtInCaller,
  REVIEWER,
  startBuiltInAgent,
} from './start-built-in-agent.ts'
export { findAgent, findAgentOfToken } from './store.ts'
export { findQuestion, listWaitingQuestions } from './store-questions.ts'
export { agentAsked } from './events.ts'

export const feature: Feature = {
  name: 'agents',
  operations: Object.values(operations),
  events: [agentAsked],
  reactions: agentEndReactions,
  handlers: [endAgentsWithTokens, stopAgentsAtCostLimit, stopAgentsAtCap, recordAnswers],
  jobs: [sweepQuestions] as Job[],
  extensions: [sessionWriters.with(isStartedFor)],
}
