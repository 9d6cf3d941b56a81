import { expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { applyPlan } from '#features/plans/apply-plan.ts'
import { planWork } from '#features/plans/plan-work.ts'
import { makeRunWorld, REPO } from '../agent-runs/fixture.ts'

test('the agent begins what waits for nothing, and the next issue when its blocker closes', async () => {
  const { world, ada, db } = await makeRunWorld([])
  const issues = [{ title: 'One' }, { title: 'Two', depends_on: [1] }]
  const plan = await world.call(planWork, ada, { repo: REPO, brief: 'Both', issues })
  const applied = await world.call(applyPlan, ada, { repo: REPO, plan: plan.id, assign: true })
  const [one = 0, two = 0] = applied.issues.map(({ number }) => number ?? 0)
  const started = async () => {
    await world.jobs()
    return db
      .all<{ issue: number }>('SELECT issue FROM agent_runs ORDER BY agent_id')
      .map(({ issue }) => issue)
  }
  expect(await started()).toEqual([one])
  await world.call(closeIssue, ada, { repo: REPO, number: one })
  expect(await started()).toEqual([one, two])
})
