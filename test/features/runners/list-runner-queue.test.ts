import { expect, test } from 'bun:test'
import { listRunnerQueue } from '#features/runners/list-runner-queue.ts'
import { listSiteRunnerQueue } from '#features/runners/list-site-runner-queue.ts'
import { makeWireWorld, REPO } from './protocol/wire.ts'

const FILE = `on: push
jobs:
  near: { runs-on: [self-hosted, gpu], strategy: { matrix: { n: [1, 2] } }, steps: [{ run: make }] }
  far: { runs-on: macos-latest, steps: [{ run: make }] }
`

test('the queue says which labels are asked for, and whether a runner has them', async () => {
  const { world, ada, runner, push } = await makeWireWorld()
  const eve = await world.user('eve')
  const queue = async () => (await world.call(listRunnerQueue, ada, REPO)).items
  expect(await queue()).toEqual([])
  const gpu = await runner({}, ['self-hosted', 'gpu'])
  await push(FILE)
  const brief = async () =>
    (await queue()).map(({ labels, jobs, served }) => [labels.join(' '), jobs, served])
  expect(await brief()).toEqual([
    ['self-hosted gpu', 2, true],
    ['macos-latest', 1, false],
  ])
  await gpu.fetch()
  expect((await brief())[0]).toEqual(['self-hosted gpu', 1, true])
  const { items } = await world.call(listRunnerQueue, ada, { workspace: 'acme' })
  expect(items).toHaveLength(2)
  await expect(world.call(listRunnerQueue, eve, REPO)).rejects.toThrow()
  await expect(world.call(listSiteRunnerQueue, ada, {})).rejects.toThrow()
})
