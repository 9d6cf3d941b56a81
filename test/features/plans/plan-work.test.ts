import { expect, test } from 'bun:test'
import { getPlan } from '#features/plans/get-plan.ts'
import { planWork } from '#features/plans/plan-work.ts'
import { refusal } from '../../world.ts'
import { ISSUES, makePlanWorld, REPO } from './fixture.ts'

test('a plan that is given is ready at once, and nothing is opened yet', async () => {
  const { world, mel, plan } = await makePlanWorld()
  const made = await plan()
  expect(made).toMatchObject({
    repo: REPO,
    brief: 'Build an oven',
    status: 'ready',
    summary: null,
    questions: [],
    error: null,
    cost_usd: null,
    created_by: { username: 'ada' },
    applied_by: null,
    applied_at: null,
  })
  expect(made.ready_at).toBe(made.created_at)
  expect(made.issues).toMatchObject([
    { position: 1, title: 'Read the sensor', checks: ['npm test'], size: 'small', kept: null },
    { position: 2, body: 'Until it is warm.', labels: ['oven'], depends_on: [1], size: 'medium' },
    { position: 3, depends_on: [1, 2], size: 'large', number: null },
  ])
  expect(await world.call(getPlan, mel, { repo: REPO, plan: made.id })).toEqual(made)
  expect(world.events('issue.opened')).toEqual([])
})

test('without issues a model has to be set', async () => {
  const { world, ada, start } = await makePlanWorld()
  const brief = { repo: REPO, brief: 'Build an oven' }
  expect((await refusal(world.call(planWork, ada, brief))).reason).toBe('model_not_configured')
  const bot = (await start()).caller()
  if (!bot) throw new Error('the agent has a token')
  const byAgent = await world.call(planWork, bot, { ...brief, issues: ISSUES })
  expect([byAgent.status, byAgent.created_by?.kind]).toEqual(['ready', 'agent'])
})

test('positions that are given are counted anew, and dependencies follow', async () => {
  const { plan } = await makePlanWorld()
  const { issues } = await plan([
    { position: 7, title: 'Last', depends_on: [3] },
    { position: 3, title: 'First' },
  ])
  expect(issues.map(({ position, depends_on }) => [position, depends_on])).toEqual([
    [1, [2]],
    [2, []],
  ])
})

test('refuses unknown positions, circles, blank titles, and people without Write', async () => {
  const { world, plan } = await makePlanWorld()
  const fieldOf = async (...given: Parameters<typeof plan>) => (await refusal(plan(...given))).field
  expect(await fieldOf([{ title: 'One', depends_on: [2] }])).toBe('issues[0].depends_on')
  expect(await fieldOf([{ title: 'One', depends_on: [1] }])).toBe('issues[0].depends_on')
  const circle = [
    { title: 'Free' },
    { title: 'One', depends_on: [3] },
    { title: 'Two', depends_on: [2] },
  ]
  expect(await fieldOf(circle)).toBe('issues[1].depends_on')
  const twice = [
    { position: 1, title: 'One' },
    { position: 1, title: 'Two' },
  ]
  expect(await fieldOf(twice)).toBe('issues[1].position')
  expect(await fieldOf([{ title: ' ' }])).toBe('issues[0].title')
  expect((await refusal(plan(ISSUES, await world.user('eve')))).reason).toBe('role')
})
