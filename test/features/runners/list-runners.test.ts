import { expect, test } from 'bun:test'
import { createRunner } from '#features/runners/create-runner.ts'
import { createSiteRunner } from '#features/runners/create-site-runner.ts'
import { listRunners } from '#features/runners/list-runners.ts'
import { makeRunnersWorld, REPO, WORKSPACE } from './fixture.ts'

test('each owner sees its own runners, newest first', async () => {
  const { world, ada, bob, root } = await makeRunnersWorld()
  for (const name of ['one', 'two']) await world.call(createRunner, ada, { ...REPO, name })
  await world.call(createRunner, ada, { ...WORKSPACE, name: 'shared' })
  await world.call(createSiteRunner, root, { name: 'site' })
  const names = async (owner: typeof REPO | typeof WORKSPACE) =>
    (await world.call(listRunners, ada, owner)).items.map(({ name, scope }) => `${name} ${scope}`)
  expect(await names(REPO)).toEqual(['two repository', 'one repository'])
  expect(await names(WORKSPACE)).toEqual(['shared workspace'])
  expect(world.call(listRunners, bob, REPO)).rejects.toThrow()
})
