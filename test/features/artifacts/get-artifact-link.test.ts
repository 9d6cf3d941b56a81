import { expect, test } from 'bun:test'
import { getArtifactLink } from '#features/artifacts/get-artifact-link.ts'
import { anonymous } from '#core/caller.ts'
import { makeFilesWorld, REPO } from './fixture.ts'

test('gives a link for ten minutes to whoever is signed in and reads the repository', async () => {
  const { world, eve, artifact } = await makeFilesWorld()
  const { id } = await artifact('my app')
  const link = await world.call(getArtifactLink, eve, { ...REPO, id })
  expect(link.url).toMatch(/\/_artifact\/art_[\w.-]+\/my%20app\.zip$/)
  expect(Date.parse(link.expires_at) - world.clock.now()).toBe(600_000)
  await expect(
    world.call(getArtifactLink, anonymous as never, { ...REPO, id }),
  ).rejects.toMatchObject({ code: 'unauthenticated' })
})
