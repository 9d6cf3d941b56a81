/**
 * Software agents: who started them, what they may do, what they are doing, and how they are
 * stopped. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { sessionWriters } from '#features/pulls/index.ts'
import { askAgent } from './ask-agent.ts'
import { createAgent } from './create-agent.ts'
import { endings, followCosts, followTokens } from './end-agent.ts'
import { agentAsked } from './events.ts'
import { getAgent } from './get-agent.ts'
import { listAgents } from './list-agents.ts'
import { followAnswers, sweepQuestions } from './questions.ts'
import { isStartedFor } from './started-for.ts'
import { stopAgent } from './stop-agent.ts'
import { stopAllAgents } from './stop-all-agents.ts'

export * from './schema.ts'
export { USUAL_SCOPES } from './create-agent.ts'
export { agentAsked } from './events.ts'
export { askAgent, createAgent, getAgent, listAgents, stopAgent, stopAllAgents }

export const feature: Feature = {
  name: 'agents',
  operations: [listAgents, createAgent, getAgent, stopAgent, stopAllAgents, askAgent],
  events: [agentAsked],
  reactions: endings,
  followers: [followTokens, followCosts, followAnswers],
  jobs: [sweepQuestions] as Job[],
  extensions: [sessionWriters.with(isStartedFor)],
}
