import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { endAgent } from './end-agent.ts'
import { requireAgent } from './require-agent.ts'
import { AgentId } from './get-agent.ts'
import { agentRecord, agentStateOf } from './agent-record.ts'
import { Agent } from './schema.ts'

export const StopReason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Why, for those who look later.',
})

export const stopAgent = operation({
  name: 'stop_agent',
  summary:
    'Stop an agent: its token is revoked at once, and nothing it made is taken back. One that has ended stays as it is. Needs Write. Answers the agent.',
  keywords: ['kill an agent', 'end a bot', 'terminate', 'runaway agent', 'cancel an agent'],
  route: 'POST /repos/{owner}/{name}/agents/{id}/stop',
  toolset: 'access',
  listed: 'default',
  access: writesRepo('write', { scope: 'pulls:write', whileArchived: true }),
  input: Type.Object({ repo: RepoPath, id: AgentId, reason: Type.Optional(StopReason) }),
  output: Agent,
  annotations: { destructive: true, idempotent: true },

  handler: ({ hearth, repo, write }, { id, reason = null }) =>
    write((tx) => {
      const agent = requireAgent(tx.db, repo.id, id)
      if (agentStateOf(hearth, agent) !== 'finished') endAgent(tx, agent, { as: 'stopped', reason })
      return agentRecord(hearth, requireAgent(tx.db, repo.id, id))
    }),
})
