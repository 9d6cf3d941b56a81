import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { Agent, AgentId, agentRecord, requireAgent } from '#features/agents/index.ts'
import { findLastQuestion } from '#features/pulls/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { requireRun } from './resume-agent.ts'
import { addEntries } from './session-entries.ts'

export const answerAgent = operation({
  name: 'answer_agent',
  summary:
    'Answer the question that the built-in agent waits on; it goes on at once. Needs Write; people only. Answers the agent.',
  keywords: ['reply to the agent', 'tell the agent', 'question of the agent'],
  route: 'POST /repos/{owner}/{name}/agents/{id}/answer',
  toolset: 'access',
  access: writesRepoAsPerson('write', { scope: 'pulls:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: AgentId,
    text: Type.String({ minLength: 1, maxLength: 8_000, description: 'The answer, Markdown.' }),
  }),
  output: Agent,

  handler: ({ hearth, caller, repo, write }, { id, text }) => {
    if (text.trim() === '') throw invalid('text', 'text must not be blank')
    return write((tx) => {
      const run = requireRun(tx.db, repo, id, ['waiting'])
      const question = findLastQuestion(tx.db, run.pull_id, id)
      if (question === null)
        throw conflict('not_ready', 'the agent has asked nothing; use resume_agent to let it go on')
      // The handler of answers sends it back to work.
      addEntries(tx, { pull_id: run.pull_id, author_id: caller.id }, [
        { kind: 'answer', text: text.trim(), data: { of: question } },
      ])
      tx.audit({
        action: 'agent.answered',
        target: { kind: 'agent', id, name: requireAgent(tx.db, repo.id, id).name },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: {},
      })
      return agentRecord(hearth, requireAgent(tx.db, repo.id, id))
    })
  },
})
