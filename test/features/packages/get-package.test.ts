import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { agentOf, refusal, withToken } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a new package is private, its publisher its admin, and its record complete', async () => {
  const { world, mel, otto, ada, publish } = await makePackageWorld()
  await publish('@acme/site', '1.0.0', {}, mel)
  const record = await world.call(getPackage, mel, npm('@acme/site'))
  expect(record).toMatchObject({
    name: '@acme/site',
    package_type: 'npm',
    workspace: 'acme',
    visibility: 'private',
    repository: null,
    version_count: 1,
    latest: '1.0.0',
    download_count: 0,
    deleted_at: null,
    permissions: { read: true, write: true, admin: true },
  })
  expect(record.address).toEndWith('/packages/acme/npm/')
  expect(record.size_in_bytes).toBe('@acme/site 1.0.0'.length)
  // The owner of the workspace is admin of everything in it; another member sees nothing.
  expect((await world.call(getPackage, ada, npm('@acme/site'))).permissions.admin).toBe(true)
  expect((await refusal(world.call(getPackage, otto, npm('@acme/site')))).status).toBe(404)
  expect((await refusal(world.call(getPackage, anonymous, npm('@acme/site')))).status).toBe(404)
})

test('strangers hear the same of a private and of a missing package', async () => {
  const { world, zoe, publish } = await makePackageWorld()
  await publish('secret', '1.0.0')
  for (const caller of [anonymous, zoe]) {
    const hidden = await refusal(world.call(getPackage, caller, npm('secret')))
    const missing = await refusal(world.call(getPackage, caller, npm('secres')))
    expect([hidden.status, hidden.message.replace('secret', 'secres')]).toEqual([
      missing.status,
      missing.message,
    ])
  }
})

test('a linked package gives the roles of its repository, unless inherit_access is off', async () => {
  const { world, ada, otto, rita, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  const rights = async (who: typeof ada) =>
    (await world.call(getPackage, who, npm('lib'))).permissions
  expect(await rights(otto)).toEqual({ read: true, write: true, admin: false })
  expect(await rights(rita)).toEqual({ read: true, write: false, admin: false })
  await world.call(updatePackage, ada, { ...npm('lib'), inherit_access: false })
  expect((await refusal(rights(otto))).status).toBe(404)
  expect((await refusal(rights(rita))).status).toBe(404)
})

test('a token reaches packages within its limits', async () => {
  const { world, ada, repo, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await publish('other', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  const limited = withToken(ada, { repos: [repo.id] })
  const agent = agentOf(ada, repo, { id: 'agt_1' })
  for (const caller of [limited, agent]) {
    expect((await world.call(getPackage, caller, npm('lib'))).name).toBe('lib')
    expect((await refusal(world.call(getPackage, caller, npm('other')))).status).toBe(404)
  }
  const scoped = withToken(ada, { scopes: ['repo:read'] })
  expect(await refusal(world.call(getPackage, scoped, npm('lib')))).toMatchObject({
    reason: 'scope',
    details: { scope: 'packages:read' },
  })
})
