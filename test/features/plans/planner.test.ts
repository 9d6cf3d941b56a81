import { expect, test } from 'bun:test'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { getPlan } from '#features/plans/get-plan.ts'
import { planWork } from '#features/plans/plan-work.ts'
import type { Reply } from '../../models/provider.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

const REPO = 'acme/site'
const GOOD = {
  summary: 'First the sensor.',
  issues: [{ title: 'Read the sensor' }, { title: 'Heat', depends_on: [1] }],
  questions: ['How hot?'],
}

async function makePlannerWorld(replies: readonly Reply[]) {
  const base = await makeModelWorld((_, number) => replies[number] ?? { text: 'Done.' })
  const { world, ada, connect } = base
  await world.repo(REPO, { as: ada })
  await world.commit(REPO, 'main', { 'README.md': 'An oven.\n', 'src/oven/heat.ts': 'heat\n' })
  const { id } = await connect()
  await world.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [{ task: 'plan', integration: id, model: 'small' }],
  })
  const plan = async () => {
    const begun = await world.call(planWork, ada, { repo: REPO, brief: 'Build an oven' })
    await world.jobs()
    return [begun, await world.call(getPlan, ada, { repo: REPO, plan: begun.id })] as const
  }
  return { ...base, plan }
}

const hand = (input: unknown): Reply => ({ calls: [{ name: 'plan', input }] })

test('a model makes the plan from the brief, the files and the README', async () => {
  const { provider, plan } = await makePlannerWorld([hand(GOOD)])
  const [begun, made] = await plan()
  expect([begun.status, begun.issues, begun.ready_at]).toEqual(['planning', [], null])
  expect(made).toMatchObject({
    status: 'ready',
    summary: 'First the sensor.',
    questions: ['How hot?'],
    issues: [{ position: 1 }, { position: 2, depends_on: [1] }],
    error: null,
    // 100 tokens of input at $1 and 20 of output at $4 a million.
    cost_usd: 0.00018,
  })
  const sent = JSON.stringify(provider.asked[0]?.body)
  for (const text of ['Build an oven', 'src/oven/', 'An oven.']) expect(sent).toContain(text)
})

test('a circle is sent back once, and then the plan has failed', async () => {
  const circle = { ...GOOD, issues: [{ title: 'Heat', depends_on: [1] }] }
  const mended = await makePlannerWorld([hand(circle), hand(GOOD)])
  const [, made] = await mended.plan()
  expect([made.status, made.issues.length, made.cost_usd]).toEqual(['ready', 2, 0.00036])
  expect(JSON.stringify(mended.provider.asked[1]?.body)).toContain('waits for itself')
  const wrong = await makePlannerWorld([hand(circle), hand(circle)])
  const [, failed] = await wrong.plan()
  expect([failed.status, failed.error?.code, failed.issues]).toEqual(['failed', 'model_failed', []])
})

test('a model that refuses fails the plan with its reason', async () => {
  const { plan } = await makePlannerWorld([{ status: 400 }])
  const [, failed] = await plan()
  expect([failed.status, failed.error?.code]).toEqual(['failed', 'model_failed'])
  expect(failed.error?.message).toContain('status 400')
})
