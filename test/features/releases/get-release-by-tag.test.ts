import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getReleaseByTag } from '#features/releases/get-release-by-tag.ts'
import { refusal } from '../../world.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

test('a published release is found by its tag, and a draft by nobody', async () => {
  const { world, ada, release } = await makeReleaseWorld()
  const { id } = await release('v1.0')
  await release('v2.0', { draft: true })
  expect((await world.call(getReleaseByTag, anonymous, { repo, tag: 'v1.0' })).id).toBe(id)
  for (const tag of ['v2.0', 'v3.0'])
    expect((await refusal(world.call(getReleaseByTag, ada, { repo, tag }))).status).toBe(404)
})
