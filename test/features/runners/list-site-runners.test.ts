import { expect, test } from 'bun:test'
import { createRunner } from '#features/runners/create-runner.ts'
import { createSiteRunner } from '#features/runners/create-site-runner.ts'
import { listSiteRunners } from '#features/runners/list-site-runners.ts'
import { makeRunnersWorld, REPO } from './fixture.ts'

test('the list has the runners of the site only', async () => {
  const { world, ada, root } = await makeRunnersWorld()
  await world.call(createRunner, ada, { ...REPO, name: 'other' })
  await world.call(createSiteRunner, root, { name: 'shared' })
  const { items } = await world.call(listSiteRunners, root, {})
  expect(items.map(({ name }) => name)).toEqual(['shared'])
  expect(world.call(listSiteRunners, ada, {})).rejects.toThrow()
})
