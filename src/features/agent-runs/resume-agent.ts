import { writesRepoAsPerson, type RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { Agent, AgentId, agentRecord, requireAgent } from '#features/agents/index.ts'
import { conflict } from '#lib/errors.ts'
import { requeue } from './requeue.ts'
import type { RunState } from './schema.ts'
import { addEntries } from './session-entries.ts'
import { findRun, resetCounts, type AgentRunRow } from './store.ts'

const GO_ON = 'Go on.'

/** Throws 404 for an agent of another repository, and 409 unless it is in one of these states. */
export function requireRun(
  db: Db,
  repo: RepoGrant,
  id: string,
  states: readonly RunState[],
): AgentRunRow {
  const agent = requireAgent(db, repo.id, id)
  const run = findRun(db, id)
  if (!run || !states.includes(run.state))
    throw conflict(
      'not_ready',
      run?.state === 'resting'
        ? `the agent ${agent.name} has finished its work; say in message what else it should do`
        : `the agent ${agent.name} does not wait for anybody`,
      { state: run?.state ?? null },
    )
  return run
}

export const resumeAgent = operation({
  name: 'resume_agent',
  summary:
    'Let the built-in agent go on after it stopped to wait for a person, or send finished work back to it with a message; its counts of turns and revisions begin anew. Needs Write; people only. Answers the agent.',
  keywords: ['continue', 'unblock an agent', 'go on', 'retry the agent', 'ask for more changes'],
  route: 'POST /repos/{owner}/{name}/agents/{id}/resume',
  toolset: 'access',
  access: writesRepoAsPerson('write', { scope: 'pulls:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: AgentId,
    message: Type.Optional(
      Type.String({ minLength: 1, maxLength: 8_000, description: 'What it should know or do.' }),
    ),
  }),
  output: Agent,

  handler: ({ hearth, caller, repo, write }, { id, message }) =>
    write((tx) => {
      const text = message?.trim() ?? ''
      const run = requireRun(tx.db, repo, id, text === '' ? ['waiting'] : ['waiting', 'resting'])
      resetCounts(tx, id)
      requeue(tx, run, text || GO_ON)
      if (text !== '')
        addEntries(tx, { pull_id: run.pull_id, author_id: caller.id }, [
          { kind: 'message', text, data: { role: 'user' } },
        ])
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
