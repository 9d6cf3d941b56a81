import { expect, test } from 'bun:test'
import { listPlans } from '#features/plans/list-plans.ts'
import { makePlanWorld, REPO } from './fixture.ts'

test('lists plans by status, newest first, page by page', async () => {
  const { world, ada, plan, apply } = await makePlanWorld()
  const one = await plan()
  const two = await plan()
  await apply(one.id)
  const list = async (input: object = {}) =>
    (await world.call(listPlans, ada, { repo: REPO, ...input })).items.map(({ id }) => id)
  expect(await list()).toEqual([two.id, one.id])
  expect(await list({ status: 'applied' })).toEqual([one.id])
  expect(await list({ per_page: 1, page: 2 })).toEqual([one.id])
})
