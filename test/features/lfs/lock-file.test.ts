import { expect, test } from 'bun:test'
import { lockFile } from '#features/lfs/lock-file.ts'
import { refusal } from '../../world.ts'
import { makeLfsWorld, OTHER, REPO } from './fixture.ts'

test('a file is locked once, by its exact path, and the refusal names who has it', async () => {
  const { world, ada, otto, mia, rita } = await makeLfsWorld()
  const lock = (path: string, by = otto, repo = REPO) => world.call(lockFile, by, { repo, path })
  const made = await lock('art/a.psd')
  expect(made).toMatchObject({ path: 'art/a.psd', locked_by: { username: 'otto' } })
  const refused = await refusal(lock('art/a.psd', mia))
  expect(refused.status).toBe(409)
  expect(refused.details.lock).toEqual(made)
  expect((await lock('art/A.psd', mia)).path).toBe('art/A.psd')
  expect((await lock('art/a.psd', ada, OTHER)).locked_by.username).toBe('ada')
  expect((await refusal(lock('b.psd', rita))).status).toBe(403)
  expect(world.events('file.locked')).toHaveLength(3)
})

test('only paths of files can be locked', async () => {
  const { world, otto } = await makeLfsWorld()
  for (const path of ['/a', 'a/', 'a//b', '../a', 'a/./b', 'a\0b'])
    expect((await refusal(world.call(lockFile, otto, { repo: REPO, path }))).field).toBe('path')
})
