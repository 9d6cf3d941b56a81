/** A repository with plans. */
import type { SignedIn } from '#core/caller.ts'
import { applyPlan } from '#features/plans/apply-plan.ts'
import { planWork } from '#features/plans/plan-work.ts'
import { makeAgentWorld, REPO } from '../agents/fixture.ts'

export { REPO }

type Issues = NonNullable<NonNullable<(typeof planWork)['__input']>['issues']>
type Apply = Omit<NonNullable<(typeof applyPlan)['__input']>, 'repo' | 'plan'>

/** Three issues: the second waits for the first, the third for both. */
export const ISSUES: Issues = [
  { title: 'Read the sensor', checks: ['npm test'], size: 'small', paths: ['src/sensor.ts'] },
  { title: 'Heat', body: 'Until it is warm.', labels: ['oven'], depends_on: [1] },
  { title: 'Show the heat', depends_on: [2, 1], size: 'large' },
]

export async function makePlanWorld() {
  const base = await makeAgentWorld()
  const { world, ada } = base
  return {
    ...base,
    plan: (issues: Issues = ISSUES, as: SignedIn = ada) =>
      world.call(planWork, as, { repo: REPO, brief: 'Build an oven', issues }),
    apply: (plan: string, input: Apply = {}, as: SignedIn = ada) =>
      world.call(applyPlan, as, { repo: REPO, plan, ...input }),
  }
}
