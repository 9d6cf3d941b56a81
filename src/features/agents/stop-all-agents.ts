import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { stopAutoMerge } from '#features/pulls/index.ts'
import { pauseAutoMerge } from '#features/repos/index.ts'
import { endAgent } from './end-agent.ts'
import { requireAgent, requireOwnRepository } from './require-agent.ts'
import { agentRecord } from './agent-record.ts'
import { Agent } from './schema.ts'
import { StopReason } from './stop-agent.ts'
import { listRunningAgents } from './store.ts'

/** The emergency stop: ends all agents of a repository and disables automatic merging. */
export const stopAllAgents = operation({
  name: 'stop_all_agents',
  summary:
    'Stop all agents of a repository at once and switch automatic merging off, for the settings and every open pull request. Needs Maintain. Answers the agents that were stopped.',
  keywords: ['emergency stop', 'kill switch', 'stop every bot', 'stop all agents', 'panic button'],
  route: 'POST /repos/{owner}/{name}/agents/stop',
  toolset: 'access',
  access: writesRepo('maintain', { scope: 'repo:admin', whileArchived: true }),
  input: Type.Object({ repo: RepoPath, reason: StopReason }),
  output: Type.Array(Agent),
  annotations: { destructive: true, idempotent: true },

  handler: ({ hearth, repo, write }, { reason }) => {
    requireOwnRepository(repo)
    return write((tx) => {
      pauseAutoMerge(tx, repo.id)
      stopAutoMerge(tx, repo.id)
      const running = listRunningAgents(tx.db, repo.id, tx.now)
      for (const agent of running) endAgent(tx, agent, { as: 'stopped', reason })
      tx.audit({
        action: 'agents.all_stopped',
        target: { kind: 'repo', id: repo.id, name: repo.full_name },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: { reason, agents: running.map(({ id }) => id) },
      })
      return running.map(({ id }) => agentRecord(hearth, requireAgent(tx.db, repo.id, id)))
    })
  },
})
