import { expect, test } from 'bun:test'
import { listPackageUpstreams } from '#features/packages/upstreams/list-package-upstreams.ts'
import { refusal } from '../../../world.ts'
import { makeUpstreamWorld, workspace } from './fixture.ts'

test('owners see the upstreams; there is none unless one is set', async () => {
  const { world, ada, mel } = await makeUpstreamWorld()
  const list = (who: typeof ada) => world.call(listPackageUpstreams, who, { workspace })
  expect((await list(ada)).upstreams).toEqual([])
  expect((await refusal(list(mel))).status).toBe(403)
})
