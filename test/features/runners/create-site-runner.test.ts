import { expect, test } from 'bun:test'
import { createSiteRunner } from '#features/runners/create-site-runner.ts'
import { makeRunnersWorld } from './fixture.ts'

test('a site administrator adds a runner for every repository', async () => {
  const { world, ada, root } = await makeRunnersWorld()
  const made = await world.call(createSiteRunner, root, { name: 'shared', accepts_untrusted: true })
  expect(made).toMatchObject({ scope: 'site', repo: null, accepts_untrusted: true })
  expect(made.token).toMatch(/^hrt_/)
  expect(world.call(createSiteRunner, ada, { name: 'mine' })).rejects.toThrow()
})
