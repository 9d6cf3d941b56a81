import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getRelease } from '#features/releases/get-release.ts'
import { refusal } from '../../world.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

test('a release is found by its id, and a draft only by callers with write', async () => {
  const { world, otto, rita, release } = await makeReleaseWorld()
  const published = await release('v1.0', { body: 'It begins.' })
  const draft = await release('v2.0', { draft: true })
  expect(await world.call(getRelease, anonymous, { repo, id: published.id })).toMatchObject({
    tag_name: 'v1.0',
    body: 'It begins.',
    draft: false,
  })
  expect(await world.call(getRelease, otto, { repo, id: draft.id })).toMatchObject({
    tag_name: 'v2.0',
    draft: true,
  })
  for (const caller of [anonymous, rita])
    expect((await refusal(world.call(getRelease, caller, { repo, id: draft.id }))).status).toBe(404)
})
