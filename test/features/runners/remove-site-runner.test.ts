import { expect, test } from 'bun:test'
import { createRunner } from '#features/runners/create-runner.ts'
import { createSiteRunner } from '#features/runners/create-site-runner.ts'
import { listSiteRunners } from '#features/runners/list-site-runners.ts'
import { removeSiteRunner } from '#features/runners/remove-site-runner.ts'
import { makeRunnersWorld, REPO } from './fixture.ts'

test('a site administrator removes runners of the site, not those of others', async () => {
  const { world, ada, root } = await makeRunnersWorld()
  const other = await world.call(createRunner, ada, { ...REPO, name: 'other' })
  const { id } = await world.call(createSiteRunner, root, { name: 'shared' })
  expect(world.call(removeSiteRunner, root, { id: other.id })).rejects.toThrow('the runner')
  expect(world.call(removeSiteRunner, ada, { id })).rejects.toThrow()
  await world.call(removeSiteRunner, root, { id })
  expect((await world.call(listSiteRunners, root, {})).items).toEqual([])
})
