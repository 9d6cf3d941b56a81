import { expect, test } from 'bun:test'
import { createRunner } from '#features/runners/create-runner.ts'
import { listRunners } from '#features/runners/list-runners.ts'
import { removeRunner } from '#features/runners/remove-runner.ts'
import { makeRunnersWorld, REPO, WORKSPACE } from './fixture.ts'

test('a runner is removed by its owner only', async () => {
  const { world, ada, bob } = await makeRunnersWorld()
  const { id } = await world.call(createRunner, ada, { ...REPO, name: 'one' })
  expect(world.call(removeRunner, bob, { ...REPO, id })).rejects.toThrow()
  expect(world.call(removeRunner, ada, { ...WORKSPACE, id })).rejects.toThrow('the runner')
  await world.call(removeRunner, ada, { ...REPO, id })
  expect((await world.call(listRunners, ada, REPO)).items).toEqual([])
  expect(world.call(removeRunner, ada, { ...REPO, id })).rejects.toThrow('the runner')
})
