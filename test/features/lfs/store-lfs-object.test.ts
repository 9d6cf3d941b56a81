import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { blobPath } from '#core/blobs.ts'
import { storeLfsObject } from '#features/lfs/store-lfs-object.ts'
import { openLfsObject } from '#features/lfs/open-lfs-object.ts'
import { getUsage } from '#features/site/get-usage.ts'
import { setQuota } from '#features/site/set-quota.ts'
import { refusal } from '../../world.ts'
import { fileOf, incoming, makeLfsWorld, OTHER, REPO } from './fixture.ts'

test('bytes are stored under the digest that they have', async () => {
  const { world, ada, rita, store } = await makeLfsWorld()
  expect(await store('cat')).toEqual(fileOf('cat'))
  expect(existsSync(blobPath(world.hearth, fileOf('cat').oid))).toBe(true)
  expect(await store('')).toEqual(fileOf(''))
  // The same bytes count once in a repository, and again in another one.
  await store('cat')
  await store('cat', ada, OTHER)
  const usage = await world.call(getUsage, ada, { workspace: 'acme' })
  expect(usage.lfs_bytes.used).toBe(6)
  expect((await refusal(store('dog', rita))).status).toBe(403)
})

test('other bytes, too many and too few leave nothing behind', async () => {
  const { world, otto } = await makeLfsWorld()
  const send = (text: string, size: number) =>
    refusal(
      world.call(
        storeLfsObject,
        otto,
        { repo: REPO, oid: fileOf('cat').oid, size },
        { bytes: incoming(text) },
      ),
    )
  expect((await send('dog', 3)).reason).toBe('checksum')
  expect((await send('cat', 2)).status).toBe(400)
  expect((await send('cat', 4)).status).toBe(400)
  const found = world.call(openLfsObject, otto, { repo: REPO, oid: fileOf('cat').oid })
  expect((await refusal(found)).status).toBe(404)
  expect(existsSync(join(world.data, 'blobs'))).toBe(false)
  expect(readdirSync(join(world.data, 'tmp/blobs'))).toEqual([])
})

test('the quota counts again when the bytes arrive', async () => {
  const { world, store } = await makeLfsWorld()
  const root = await world.user('root', { site_admin: true })
  await world.call(setQuota, root, { workspace: 'acme', lfs_bytes: 5 })
  await store('cat')
  expect((await refusal(store('dog'))).reason).toBe('quota')
  // What is there already is no growth.
  expect(await store('')).toEqual(fileOf(''))
})
