import { expect, test } from 'bun:test'
import { insertJob } from '#core/jobs.ts'
import { purgePackages } from '#features/packages/purge-packages.ts'
import { deletePackage } from '#features/packages/delete-package.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { openPackageFile } from '#features/packages/open-package-file.ts'
import { deleteWorkspace } from '#features/workspaces/delete-workspace.ts'
import { DAY } from '#lib/time.ts'
import { refusal, withToken } from '../../world.ts'
import { makePackageWorld, npm, workspace } from './fixture.ts'

test('a deleted package answers no download, holds its name, and is purged after 30 days', async () => {
  const { world, ada, otto, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  expect(
    await refusal(world.call(deletePackage, ada, { ...npm('lib'), confirm: 'bil' })),
  ).toMatchObject({ status: 422, field: 'confirm' })
  const deleted = await world.call(deletePackage, ada, { ...npm('lib'), confirm: 'lib' })
  expect(deleted).toMatchObject({
    deleted_by: { username: 'ada' },
    freed_bytes: 'lib 1.0.0'.length,
  })
  expect(Date.parse(deleted.purge_at ?? '') - world.clock.at).toBe(30 * DAY)
  const open = world.call(openPackageFile, ada, {
    ...npm('lib'),
    path: 'lib-1.0.0.tgz',
    counts: false,
  })
  expect((await refusal(open)).status).toBe(404)
  expect((await world.call(getPackage, ada, npm('lib'))).deleted_at).not.toBeNull()
  expect((await refusal(world.call(getPackage, otto, npm('lib')))).status).toBe(404)
  expect(world.events('package.deleted')).toMatchObject([
    { data: { package: { name: 'lib' }, version: null, versions: ['1.0.0'] } },
  ])
  world.clock.advance(30 * DAY + 3_600_000)
  await world.write((tx) => void insertJob(tx.db, purgePackages, null, tx.now_ms))
  await world.jobs()
  expect((await refusal(world.call(getPackage, ada, npm('lib')))).status).toBe(404)
  // Its number stays refused for other content, and may come back with the same.
  expect(await refusal(publish('lib', '1.0.0', { text: 'other' }))).toMatchObject({
    reason: 'version_exists',
  })
  expect((await publish('lib', '1.0.0')).outcome).toBe('created')
})

test('deleting it once more purges it at once', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const remove = () => world.call(deletePackage, ada, { ...npm('lib'), confirm: 'lib' })
  await remove()
  await remove()
  expect((await refusal(remove())).status).toBe(404)
  expect(await refusal(publish('lib', '1.0.0', { text: 'other' }))).toMatchObject({
    reason: 'version_exists',
  })
})

test('destroying needs the scope packages:admin', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const writer = withToken(ada, { scopes: ['packages:write'] })
  const remove = world.call(deletePackage, writer, { ...npm('lib'), confirm: 'lib' })
  expect(await refusal(remove)).toMatchObject({ reason: 'scope' })
  expect((await world.call(getPackage, ada, npm('lib'))).deleted_at).toBeNull()
})

test('a workspace with packages cannot be deleted, until they are purged', async () => {
  const { world, ada } = await makePackageWorld()
  await world.workspace('small', { owner: ada })
  const inSmall = { ...npm('lib'), workspace: 'small' }
  const { storeBlob } = await import('#core/blobs.ts')
  const { publishPackageVersion } = await import('#features/packages/publish-package-version.ts')
  const bytes = async function* () {
    yield Buffer.from('x')
  }
  const blob = await storeBlob(world.hearth, bytes(), { maxBytes: 10 })
  await world.call(publishPackageVersion, ada, {
    ...inSmall,
    publication: { version: '1.0.0', digest: blob.sha256, metadata: {}, files: [] },
  })
  const end = () => world.call(deleteWorkspace, ada, { workspace: 'small', confirm: 'small' })
  expect(await refusal(end())).toMatchObject({ status: 409, reason: 'not_empty' })
  for (let time = 0; time < 2; time++)
    await world.call(deletePackage, ada, { ...inSmall, confirm: 'lib' })
  expect(await end()).toBeNull()
  expect(workspace).toBe('acme')
})
