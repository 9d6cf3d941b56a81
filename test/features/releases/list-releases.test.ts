import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listReleases } from '#features/releases/list-releases.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

test('releases are listed newest first, with drafts for callers with write', async () => {
  const { world, otto, release } = await makeReleaseWorld()
  await release('v1.0')
  world.clock.advance(1_000)
  await release('v2.0')
  world.clock.advance(1_000)
  await release('v3.0', { draft: true })
  const tags = async (caller: typeof otto | typeof anonymous) =>
    (await world.call(listReleases, caller, { repo })).items.map(({ tag_name }) => tag_name)
  expect(await tags(anonymous)).toEqual(['v2.0', 'v1.0'])
  expect(await tags(otto)).toEqual(['v3.0', 'v2.0', 'v1.0'])
})
