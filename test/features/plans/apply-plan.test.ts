import { expect, test } from 'bun:test'
import { listIssues } from '#features/issues/list-issues.ts'
import { refusal } from '../../world.ts'
import { makePlanWorld, REPO } from './fixture.ts'

test('opens all issues in order, and each waits for those it depends on', async () => {
  const { world, ada, plan, apply } = await makePlanWorld()
  const { id } = await plan()
  const applied = await apply(id)
  expect(applied).toMatchObject({ status: 'applied', applied_by: { username: 'ada' } })
  const numbers = applied.issues.map(({ number }) => number ?? 0)
  expect(applied.issues.map(({ kept }) => kept)).toEqual([true, true, true])
  const { items } = await world.call(listIssues, ada, { repo: REPO })
  const [first = 0, second = 0, third = 0] = numbers
  expect(items.map(({ number, title, blocked_by }) => [number, title, blocked_by])).toEqual([
    [third, 'Show the heat', [first, second]],
    [second, 'Heat', [first]],
    [first, 'Read the sensor', []],
  ])
  expect(items[1]?.labels).toEqual(['oven'])
  expect(world.events('issue.opened').map(({ data }) => data.number)).toEqual(numbers)
  const again = await refusal(apply(id))
  expect([again.reason, again.details]).toEqual(['already_exists', { numbers }])
})

test('an issue that is left out is no dependency of others', async () => {
  const { world, ada, plan, apply } = await makePlanWorld()
  const { id } = await plan()
  expect((await refusal(apply(id, { keep: [1, 4] }))).field).toBe('keep')
  expect(world.events('issue.opened')).toEqual([])
  const applied = await apply(id, { keep: [3, 1] })
  expect(applied.issues.map(({ kept, number }) => [kept, number !== null])).toEqual([
    [true, true],
    [false, false],
    [true, true],
  ])
  const { items } = await world.call(listIssues, ada, { repo: REPO })
  expect(items.map(({ blocked_by }) => blocked_by)).toEqual([[items[1]?.number ?? 0], []])
})

test('assign needs a model, and opens nothing without one', async () => {
  const { world, plan, apply } = await makePlanWorld()
  const { id } = await plan()
  expect((await refusal(apply(id, { assign: true }))).reason).toBe('model_not_configured')
  expect(world.events('issue.opened')).toEqual([])
  expect((await apply(id)).status).toBe('applied')
})

test('two who apply at once open the issues once', async () => {
  const { world, mel, plan, apply } = await makePlanWorld()
  const { id } = await plan()
  const results = await Promise.allSettled([apply(id), apply(id, {}, mel)])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(world.events('issue.opened')).toHaveLength(3)
})
