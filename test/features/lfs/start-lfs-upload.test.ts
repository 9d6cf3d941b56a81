import { expect, test } from 'bun:test'
import { startLfsUpload } from '#features/lfs/start-lfs-upload.ts'
import { setQuota } from '#features/site/set-quota.ts'
import { refusal } from '../../world.ts'
import { fileOf, makeLfsWorld, OTHER, REPO } from './fixture.ts'

test('a batch says what to upload, also when another repository has the file', async () => {
  const { world, ada, otto, rita, store } = await makeLfsWorld({ lfs: { max_bytes: 100 } })
  await store('cat')
  const objects = [
    fileOf('cat'),
    { ...fileOf('cat'), size: 4 },
    fileOf('dog'),
    { ...fileOf('huge'), size: 101 },
  ]
  const states = async (repo: string, by = otto) =>
    (await world.call(startLfsUpload, by, { repo, objects })).objects.map(({ state }) => state)
  expect(await states(REPO)).toEqual(['stored', 'other_size', 'missing', 'too_large'])
  expect(await states(OTHER, ada)).toEqual(['missing', 'missing', 'missing', 'too_large'])
  expect((await refusal(states(REPO, rita))).status).toBe(403)
})

test('the quota of the workspace refuses a batch that would exceed it', async () => {
  const { world, otto, store } = await makeLfsWorld()
  const root = await world.user('root', { site_admin: true })
  await store('cat')
  await world.call(setQuota, root, { workspace: 'acme', lfs_bytes: 10 })
  const upload = (size: number) =>
    world.call(startLfsUpload, otto, { repo: REPO, objects: [{ ...fileOf('dog'), size }] })
  expect((await upload(7)).objects[0]?.state).toBe('missing')
  expect((await refusal(upload(8))).reason).toBe('quota')
})
