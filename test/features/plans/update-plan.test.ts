import { expect, test } from 'bun:test'
import { updatePlan } from '#features/plans/update-plan.ts'
import { refusal } from '../../world.ts'
import { makePlanWorld, REPO } from './fixture.ts'

test('replaces the issues while the plan is ready', async () => {
  const { world, ada, plan, apply } = await makePlanWorld()
  const made = await plan()
  // What a client read, without the second issue and in another order.
  const [first, , third] = made.issues
  if (!first || !third) throw new Error('there are three issues')
  const issues = [{ ...third, depends_on: [1] }, first]
  const change = () => world.call(updatePlan, ada, { repo: REPO, plan: made.id, issues })
  expect((await change()).issues).toMatchObject([
    { position: 1, title: 'Show the heat', depends_on: [2] },
    { position: 2, title: 'Read the sensor', depends_on: [] },
  ])
  await apply(made.id)
  expect((await refusal(change())).reason).toBe('already_exists')
})
