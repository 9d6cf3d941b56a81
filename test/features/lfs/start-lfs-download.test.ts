import { expect, test } from 'bun:test'
import { startLfsDownload } from '#features/lfs/start-lfs-download.ts'
import { refusal } from '../../world.ts'
import { fileOf, makeLfsWorld, OTHER, REPO } from './fixture.ts'

test('a file is there for those who may read the repository that has it, and nowhere else', async () => {
  const { world, ada, rita, eve, store } = await makeLfsWorld()
  await store('cat')
  const input = { repo: REPO, objects: [fileOf('cat'), fileOf('dog')] }
  const { objects } = await world.call(startLfsDownload, rita, input)
  expect(objects.map(({ stored }) => stored)).toEqual([true, false])
  // Whoever knows the digest of a file gets it in no other repository.
  const elsewhere = await world.call(startLfsDownload, ada, { ...input, repo: OTHER })
  expect(elsewhere.objects.map(({ stored }) => stored)).toEqual([false, false])
  expect((await refusal(world.call(startLfsDownload, eve, input))).status).toBe(404)
})
