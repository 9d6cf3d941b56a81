import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { onPlan } from './inputs.ts'
import { planRecord, requirePlan, untrustedPlan } from './plan-record.ts'
import { Plan } from './schema.ts'

export const getPlan = operation({
  name: 'get_plan',
  summary:
    'Get a plan with its issues, their order, and the questions that it left open. Its status is planning, ready, failed or applied. Needs Read.',
  keywords: ['show a plan', 'is the plan ready', 'proposed issues'],
  route: 'GET /repos/{owner}/{name}/plans/{plan}',
  toolset: 'issues',
  access: readsRepoAs('read', { scope: 'issues:read' }),
  input: Type.Object(onPlan),
  output: Plan,
  untrusted: untrustedPlan,

  handler: ({ hearth, db, repo }, { plan }) =>
    planRecord(hearth, repo, requirePlan(db, repo.id, plan)),
})
