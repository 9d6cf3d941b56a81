import { expect, test } from 'bun:test'
import { listFileLocks } from '#features/lfs/list-file-locks.ts'
import { lockFile } from '#features/lfs/lock-file.ts'
import { refusal } from '../../world.ts'
import { makeLfsWorld, OTHER, REPO } from './fixture.ts'

test('locks are listed by page, or for one path, to readers of the repository', async () => {
  const { world, ada, otto, rita, eve } = await makeLfsWorld()
  for (const path of ['a.psd', 'b.psd', 'c.psd']) {
    world.clock.advance(1000)
    await world.call(lockFile, otto, { repo: REPO, path })
  }
  await world.call(lockFile, ada, { repo: OTHER, path: 'secret.psd' })
  const list = async (input: { path?: string; page?: number; per_page?: number }) =>
    (await world.call(listFileLocks, rita, { repo: REPO, ...input })).items.map(({ path }) => path)
  expect(await list({})).toEqual(['c.psd', 'b.psd', 'a.psd'])
  expect(await list({ per_page: 2, page: 2 })).toEqual(['a.psd'])
  expect(await list({ path: 'b.psd' })).toEqual(['b.psd'])
  expect(await list({ path: 'B.psd' })).toEqual([])
  expect((await refusal(world.call(listFileLocks, eve, { repo: REPO }))).status).toBe(404)
})
