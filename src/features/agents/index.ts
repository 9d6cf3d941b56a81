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

export const feature: Feature = {
  name: 'agents',
  operations: Object.values(operations),
  events: [agentAsked],
  reactions: agentEndReactions,
  handlers: [endAgentsWithTokens, stopAgentsAtCostLimit, stopAgentsAtCap, recordAnswers],
  jobs: [sweepQuestions] as Job[],
  extensions: [sessionWriters.with(isStartedFor)],
}
