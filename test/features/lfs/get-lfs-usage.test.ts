import { expect, test } from 'bun:test'
import { getLfsUsage } from '#features/lfs/get-lfs-usage.ts'
import { refusal } from '../../world.ts'
import { makeLfsWorld, REPO } from './fixture.ts'

test('the files of a repository are counted for its readers', async () => {
  const { world, rita, eve, store } = await makeLfsWorld()
  expect(await world.call(getLfsUsage, rita, { repo: REPO })).toEqual({ files: 0, bytes: 0 })
  await store('cat')
  await store('horse')
  expect(await world.call(getLfsUsage, rita, { repo: REPO })).toEqual({ files: 2, bytes: 8 })
  expect((await refusal(world.call(getLfsUsage, eve, { repo: REPO }))).status).toBe(404)
})
