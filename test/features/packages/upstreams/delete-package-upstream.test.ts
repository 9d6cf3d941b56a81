import { expect, test } from 'bun:test'
import { deletePackageUpstream } from '#features/packages/upstreams/delete-package-upstream.ts'
import { listPackageUpstreams } from '#features/packages/upstreams/list-package-upstreams.ts'
import { refusal } from '../../../world.ts'
import { makeUpstreamWorld, workspace } from './fixture.ts'

test('owners delete an upstream', async () => {
  const { world, ada, mel, set } = await makeUpstreamWorld()
  await set('npm')
  const remove = (who: typeof ada) =>
    world.call(deletePackageUpstream, who, { workspace, package_type: 'npm' })
  expect((await refusal(remove(mel))).status).toBe(403)
  await remove(ada)
  expect((await world.call(listPackageUpstreams, ada, { workspace })).upstreams).toEqual([])
  expect((await refusal(remove(ada))).status).toBe(404)
})
