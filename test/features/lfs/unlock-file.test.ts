import { expect, test } from 'bun:test'
import { listFileLocks } from '#features/lfs/list-file-locks.ts'
import { lockFile } from '#features/lfs/lock-file.ts'
import { unlockFile } from '#features/lfs/unlock-file.ts'
import { refusal } from '../../world.ts'
import { makeLfsWorld, OTHER, REPO } from './fixture.ts'

test('a lock is removed by its owner, or with force by Maintain', async () => {
  const { world, ada, otto, mia, rita } = await makeLfsWorld()
  const lock = async () => (await world.call(lockFile, otto, { repo: REPO, path: 'a.psd' })).id
  const unlock = (id: string, by = otto, force = false, repo = REPO) =>
    world.call(unlockFile, by, { repo, id, force })
  const first = await lock()
  expect((await unlock(first)).path).toBe('a.psd')
  expect((await refusal(unlock(first))).status).toBe(404)

  const second = await lock()
  const message = (await refusal(unlock(second, mia))).message
  expect(message).toContain('otto has locked a.psd')
  expect((await refusal(unlock(second, rita, true))).status).toBe(403)
  expect((await refusal(unlock(second, ada, true, OTHER))).status).toBe(404)
  expect((await unlock(second, mia, true)).locked_by.username).toBe('otto')
  expect((await world.call(listFileLocks, rita, { repo: REPO })).items).toEqual([])
  expect(world.events('file.unlocked')).toHaveLength(2)
})

test('somebody with Write alone does not break the lock of somebody else', async () => {
  const { world, otto, mia } = await makeLfsWorld()
  const { id } = await world.call(lockFile, mia, { repo: REPO, path: 'a.psd' })
  const refused = await refusal(world.call(unlockFile, otto, { repo: REPO, id, force: true }))
  expect(refused.status).toBe(403)
  expect(world.events('file.unlocked')).toEqual([])
})
