import { expect, test } from 'bun:test'
import { deletePlan } from '#features/plans/delete-plan.ts'
import { getPlan } from '#features/plans/get-plan.ts'
import { refusal } from '../../world.ts'
import { makePlanWorld, REPO } from './fixture.ts'

test('an applied plan is not deleted', async () => {
  const { world, ada, plan, apply } = await makePlanWorld()
  const one = await plan()
  const two = await plan()
  await apply(one.id)
  const drop = (id: string) => world.call(deletePlan, ada, { repo: REPO, plan: id })
  expect((await refusal(drop(one.id))).reason).toBe('already_exists')
  await drop(two.id)
  const gone = await refusal(world.call(getPlan, ada, { repo: REPO, plan: two.id }))
  expect(gone.code).toBe('not_found')
  expect((await refusal(drop('pln_nothing'))).code).toBe('not_found')
})
