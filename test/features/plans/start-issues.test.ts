import { expect, test } from 'bun:test'
import type { UserCaller } from '#core/caller.ts'
import { createSettingsToken } from '#features/accounts/index.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { applyPlan } from '#features/plans/apply-plan.ts'
import { planWork } from '#features/plans/plan-work.ts'
import { refusal } from '../../world.ts'
import { makeRunWorld, REPO } from '../agent-runs/fixture.ts'

test('a token that applies a plan starts the agent, also when its blocker closes later', async () => {
  const { world, ada, db } = await makeRunWorld([])
  const plan = await world.call(planWork, ada, {
    repo: REPO,
    brief: 'One',
    issues: [{ title: 'One' }],
  })
  const apply = async (...scopes: string[]) => {
    const { secret } = await world.call(createSettingsToken, ada, {
      name: scopes.join(' '),
      scopes,
    })
    const caller = world.hearth.callers.byToken(secret ?? '') as UserCaller
    return world.call(applyPlan, caller, { repo: REPO, plan: plan.id, assign: true })
  }
  expect(await refusal(apply('issues:write'))).toMatchObject({
    reason: 'scope',
    details: { scope: 'pulls:write' },
  })
  await apply('issues:write', 'pulls:write')
  await world.jobs()
  expect(db.all('SELECT state FROM agent_runs')).toHaveLength(1)
})

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
