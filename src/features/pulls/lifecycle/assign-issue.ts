import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { requireIssue, requireOpenIssue } from '#features/issues/index.ts'
import { conflict } from '#lib/errors.ts'
import { onPull } from '../inputs.ts'
import { requireOwnRepository } from '../permissions.ts'
import { NewPull } from '../schema.ts'
import { inNewPull } from '../untrusted-texts.ts'

/**
 * Always refuses: the built-in agent needs a model, and this service has no setting for one. The
 * refusal says so.
 */
export const assignIssue = operation({
  name: 'assign_issue',
  summary:
    'Give an issue to the built-in agent, which opens a draft for it. Needs write. 409 model_not_configured where no model is set for the agent. Answers the pull request and where it is pushed.',
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
        description: 'The task whose model is used; code unless given.',
      }),
    ),
    instructions: Type.Optional(
      Type.String({
        maxLength: 4_000,
        description: 'What the agent should know beyond the issue.',
      }),
    ),
  }),
  output: NewPull,
  status: 202,
  untrusted: inNewPull,

  handler: ({ db, repo }, { number, agent = 'code' }) => {
    requireOwnRepository(repo)
    requireIssue(db, repo.id, number)
    requireOpenIssue(db, repo.id, number, 'number')
    throw conflict(
      'model_not_configured',
      `no model is set for ${agent}, so the built-in agent cannot take an issue`,
      { agent },
    )
  },
})
