import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { onPlan } from './inputs.ts'
import { PlanIssuesInput, readPlanIssues } from './plan-issues.ts'
import { planRecord, requirePlan, requireReady, untrustedPlan } from './plan-record.ts'
import { Plan } from './schema.ts'
import { setPlanIssues } from './store.ts'

export const updatePlan = operation({
  name: 'update_plan',
  summary:
    'Replace the issues of a plan that is ready and not applied; needs Write. Positions are counted anew in the given order, and depends_on follows.',
  keywords: ['edit a plan', 'reorder issues of a plan', 'drop an issue of a plan'],
  route: 'PATCH /repos/{owner}/{name}/plans/{plan}',
  toolset: 'issues',
  access: writesRepo('write', { scope: 'issues:write' }),
  input: Type.Object({ ...onPlan, issues: PlanIssuesInput }),
  output: Plan,
  annotations: { idempotent: true },
  untrusted: untrustedPlan,

  handler: ({ hearth, repo, write }, { plan, issues }) =>
    write((tx) => {
      const row = requirePlan(tx.db, repo.id, plan)
      requireReady(row)
      setPlanIssues(tx, row.id, readPlanIssues(issues))
      return planRecord(hearth, repo, requirePlan(tx.db, repo.id, plan))
    }),
})
