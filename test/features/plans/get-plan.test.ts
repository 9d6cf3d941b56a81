import { expect, test } from 'bun:test'
import { getPlan } from '#features/plans/get-plan.ts'
import { listPlans } from '#features/plans/list-plans.ts'
import { makePlanWorld, REPO } from './fixture.ts'

test('marks the texts of a plan that a model made', async () => {
  const { world, ada, start, plan } = await makePlanWorld()
  const made = await plan()
  const marked: string[] = []
  const untrusted = (pointers: readonly string[]) => void marked.push(...pointers)
  await world.call(getPlan, ada, { repo: REPO, plan: made.id }, { untrusted })
  expect(marked).toEqual([])
  await world.write((tx) => tx.db.run('UPDATE plans SET by_model = 1'))
  const bot = (await start()).caller()
  if (!bot) throw new Error('the agent has a token')
  await world.call(listPlans, bot, { repo: REPO }, { untrusted })
  expect(marked).toContain('/items/0/issues/1/body')
  expect(marked).toContain('/items/0/issues/0/checks/0')
})
