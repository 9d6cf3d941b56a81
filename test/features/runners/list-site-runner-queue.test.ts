import { expect, test } from 'bun:test'
import { listSiteRunnerQueue } from '#features/runners/list-site-runner-queue.ts'
import { testJobs } from '../../settings.ts'
import { makeWorld } from '../../world.ts'

const FILE = 'on: push\njobs: { build: { runs-on: sparc, steps: [{ run: make }] } }\n'

test('the queue of the site has jobs of every repository', async () => {
  const world = await makeWorld({ jobs: { ...testJobs, local: true } })
  const ada = await world.user('ada')
  const root = await world.user('root', { site_admin: true })
  await world.workspace('acme', { owner: ada })
  for (const repo of ['acme/site', 'acme/other']) {
    await world.repo(repo, { as: ada })
    await world.commit(repo, 'main', { '.github/workflows/ci.yml': FILE }, { as: ada })
  }
  await world.jobs()
  const { items } = await world.call(listSiteRunnerQueue, root, {})
  expect(items).toEqual([{ labels: ['sparc'], jobs: 2, since: expect.any(String), served: false }])
  await expect(world.call(listSiteRunnerQueue, ada, {})).rejects.toThrow()
})
