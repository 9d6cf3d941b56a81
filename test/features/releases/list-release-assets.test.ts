import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listReleaseAssets } from '#features/releases/list-release-assets.ts'
import { refusal } from '../../world.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

test('files are listed by name, and those of a draft only for callers with write', async () => {
  const { world, otto, release, upload } = await makeReleaseWorld()
  const published = await release('v1.0')
  await upload(published.id, 'b.txt', 'b')
  await upload(published.id, 'a.txt', 'aa')
  const { items } = await world.call(listReleaseAssets, anonymous, { repo, id: published.id })
  expect(items.map(({ name, size_in_bytes }) => [name, size_in_bytes])).toEqual([
    ['a.txt', 2],
    ['b.txt', 1],
  ])
  const draft = await release('v2.0', { draft: true })
  expect((await world.call(listReleaseAssets, otto, { repo, id: draft.id })).items).toEqual([])
  expect(
    (await refusal(world.call(listReleaseAssets, anonymous, { repo, id: draft.id }))).status,
  ).toBe(404)
})
