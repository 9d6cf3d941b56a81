import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireAgent } from './require-agent.ts'
import { agentRecord } from './agent-record.ts'
import { Agent } from './schema.ts'

export const AgentId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of the agent.',
})

export const getAgent = operation({
  name: 'get_agent',
  summary:
    'One agent of a repository: what it may do, what it is doing, what it has cost, and when it ends. Needs Write.',
  keywords: ['agent status', 'what is an agent doing', 'cost of an agent'],
  route: 'GET /repos/{owner}/{name}/agents/{id}',
  toolset: 'access',
  access: readsRepoAs('write', { scope: 'pulls:read' }),
  input: Type.Object({ repo: RepoPath, id: AgentId }),
  output: Agent,

  handler: ({ hearth, db, repo }, { id }) => agentRecord(hearth, requireAgent(db, repo.id, id)),
})
