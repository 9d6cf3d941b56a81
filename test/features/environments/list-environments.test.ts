import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listEnvironments } from '#features/environments/list-environments.ts'
import { DEPLOY, FILE, makeEnvironmentsWorld, REPO } from './fixture.ts'

test('environments are listed by name; a job makes one that nobody has set up', async () => {
  const { world, push, protect, drain } = await makeEnvironmentsWorld()
  await protect({}, 'staging')
  await push({ [FILE]: DEPLOY })
  expect(await drain()).toEqual(['ship'])
  const { items } = await world.call(listEnvironments, anonymous, REPO)
  expect(items.map(({ name, deployments_count }) => [name, deployments_count])).toEqual([
    ['production', 1],
    ['staging', 0],
  ])
})
