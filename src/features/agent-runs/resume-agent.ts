import { writesRepoAsPerson, type RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { Agent, AgentId, agentRecord, requireAgent } from '#features/agents/index.ts'
import { conflict } from '#lib/errors.ts'
import { requeue } from './requeue.ts'
import { findRun, resetCounts, type AgentRunRow } from './store.ts'

const GO_ON = 'Go on.'

/** Throws 404 for an agent of another repository, and 409 unless it waits for a person. */
export function requireWaiting(db: Db, repo: RepoGrant, id: string): AgentRunRow {
  const agent = requireAgent(db, repo.id, id)
  const run = findRun(db, id)
  if (run?.state !== 'waiting')
    throw conflict('not_ready', `the agent ${agent.name} does not wait for anybody`, {
      state: run?.state ?? null,
    })
  return run
}

export const resumeAgent = operation({
  name: 'resume_agent',
  summary:
    'Let the built-in agent go on after it stopped to wait for a person; its counts of turns and revisions begin anew. Needs Write; people only. Answers the agent.',
  keywords: ['continue', 'unblock an agent', 'go on', 'retry the agent'],
  route: 'POST /repos/{owner}/{name}/agents/{id}/resume',
  toolset: 'access',
  access: writesRepoAsPerson('write', { scope: 'pulls:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: AgentId,
    message: Type.Optional(
      Type.String({ minLength: 1, maxLength: 8_000, description: 'What it should know.' }),
    ),
  }),
  output: Agent,

  handler: ({ hearth, repo, write }, { id, message }) =>
    write((tx) => {
      const run = requireWaiting(tx.db, repo, id)
      resetCounts(tx, id)
      requeue(tx, run, message?.trim() || GO_ON)
      tx.audit({
        action: 'agent.resumed',
        target: { kind: 'agent', id, name: requireAgent(tx.db, repo.id, id).name },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: {},
      })
      return agentRecord(hearth, requireAgent(tx.db, repo.id, id))
    }),
})
