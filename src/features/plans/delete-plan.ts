import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { onPlan } from './inputs.ts'
import { refuseApplied, requirePlan } from './plan-record.ts'
import { removePlan } from './store.ts'

export const deletePlan = operation({
  name: 'delete_plan',
  summary: 'Delete a plan that was not applied; needs Write. One that is being made is given up.',
  keywords: ['discard a plan', 'cancel planning'],
  route: 'DELETE /repos/{owner}/{name}/plans/{plan}',
  toolset: 'issues',
  access: writesRepo('write', { scope: 'issues:write' }),
  input: Type.Object(onPlan),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, write }, { plan }) =>
    write((tx) => {
      const row = requirePlan(tx.db, repo.id, plan)
      refuseApplied(row)
      removePlan(tx, row.id)
      return null
    }),
})
