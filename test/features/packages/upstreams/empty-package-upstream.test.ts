import { expect, test } from 'bun:test'
import { emptyPackageUpstream } from '#features/packages/upstreams/empty-package-upstream.ts'
import { getUsage } from '#features/site/get-usage.ts'
import { refusal } from '../../../world.ts'
import { makeServedUpstream, workspace } from './fixture.ts'
import { publishThere, TARBALL } from './packuments.ts'

test('the cache counts as storage of the workspace until it is emptied', async () => {
  const served = await makeServedUpstream('npm')
  const { world, ada, mel, send, registry } = served
  publishThere(served, 'left-pad')
  await send('left-pad/-/left-pad-1.0.0.tgz')
  const used = async () => (await world.call(getUsage, ada, { workspace })).packages_bytes.used
  const empty = (who: typeof ada) =>
    world.call(emptyPackageUpstream, who, { workspace, package_type: 'npm' })
  expect(await used()).toBeGreaterThan(TARBALL.length)
  expect((await refusal(empty(mel))).status).toBe(403)
  expect(await empty(ada)).toMatchObject({ file_count: 0, size_in_bytes: 0 })
  expect(await used()).toBe(0)
  await send('left-pad')
  expect(registry.count('/left-pad')).toBe(2)
})
