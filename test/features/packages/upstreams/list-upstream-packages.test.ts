import { expect, test } from 'bun:test'
import { listUpstreamPackages } from '#features/packages/upstreams/list-upstream-packages.ts'
import { refusal } from '../../../world.ts'
import { makeServedUpstream, workspace } from './fixture.ts'
import { publishThere, TARBALL } from './packuments.ts'

test('owners list what is cached, by name', async () => {
  const served = await makeServedUpstream('npm')
  const { world, ada, mel, send } = served
  for (const name of ['two', 'one']) publishThere(served, name)
  await send('two')
  await send('one/-/one-1.0.0.tgz')
  const list = (who: typeof ada) =>
    world.call(listUpstreamPackages, who, { workspace, package_type: 'npm' })
  expect((await refusal(list(mel))).status).toBe(403)
  const { items, total } = await list(ada)
  expect([total, items.map(({ name, file_count }) => [name, file_count])]).toEqual([
    2,
    [
      ['one', 2],
      ['two', 1],
    ],
  ])
  expect(items[0]?.size_in_bytes).toBeGreaterThan(TARBALL.length)
})
