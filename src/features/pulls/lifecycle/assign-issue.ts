import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { addAssignee, requireIssue, requireOpenIssue } from '#features/issues/index.ts'
import { conflict } from '#lib/errors.ts'
import { agentAssignments, type AgentAssignment, type StartedAgent } from '../extension-points.ts'
import { onPull } from '../inputs.ts'
import { contextOf } from '../pull-context.ts'
import { pullRecord, remoteOf } from '../pull-record.ts'
import { requireOwnRepository } from '../permissions.ts'
import { NewPull } from '../schema.ts'
import { inNewPull } from '../untrusted-texts.ts'

/** Opens a draft and starts the built-in agent on it. */
export const assignIssue = operation({
  name: 'assign_issue',
  summary:
    'Give an issue to the built-in agent, which opens a draft for it. Needs write. 409 model_not_configured where no model is set. Answers the pull request and where it is pushed.',
  keywords: [
    'let the agent do it',
    'give a ticket to an AI',
    'assign to the built-in agent',
    'fix automatically',
    'delegate',
  ],
  route: 'POST /repos/{owner}/{name}/issues/{number}/assign',
  toolset: 'issues',
  listed: 'default',
  access: writesRepo('write', { scope: 'pulls:write' }),
  preview: true,
  input: Type.Object({
    ...onPull,
    agent: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Task of the model; code by default.',
      }),
    ),
    instructions: Type.Optional(
      Type.String({
        maxLength: 4_000,
        description: 'Beyond the issue.',
      }),
    ),
    max_usd: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'Most that it may cost.',
      }),
    ),
    program: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 39,
        description: 'See list_agent_programs.',
      }),
    ),
  }),
  output: NewPull,
  status: 202,
  untrusted: inNewPull,

  handler: ({ hearth, db, repo, caller, write }, { number, agent = 'code', ...input }) => {
    requireOwnRepository(repo)
    requireIssue(db, repo.id, number)
    requireOpenIssue(db, repo.id, number, 'number')
    return write((tx) => {
      const { pull, agent_id } = assignToAgent(tx, {
        repo,
        caller,
        issue: number,
        task: agent,
        instructions: input.instructions?.trim() || null,
        max_usd: input.max_usd ?? null,
        program: input.program ?? null,
      })
      addAssignee(tx, repo, number, agent_id)
      const context = contextOf(tx.db, repo.id)
      return { pull: pullRecord(hearth, pull, context), git: remoteOf(hearth, pull, context) }
    })
  },
})

/** Throws 409 `model_not_configured` when nothing in this forge is the built-in agent. */
function assignToAgent(tx: Tx, assignment: AgentAssignment): StartedAgent {
  const [assign] = agentAssignments.all(tx.hearth)
  if (!assign)
    throw conflict('model_not_configured', 'this service has no built-in agent', {
      agent: assignment.task,
    })
  return assign(tx, assignment)
}
