import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { deletePackage } from '#features/packages/delete-package.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { listPackages } from '#features/packages/list-packages.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { agentOf, withToken } from '../../world.ts'
import { makePackageWorld, npm, workspace } from './fixture.ts'

test('everyone sees their own packages, and no name of another', async () => {
  const { world, ada, mel, otto, rita, zoe, repo, publish } = await makePackageWorld()
  await publish('open', '1.0.0')
  await world.call(updatePackage, ada, { ...npm('open'), visibility: 'public' })
  await publish('linked', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('linked'), repository: 'acme/site' })
  await publish('of-mel', '1.0.0', {}, mel)
  const seen = async (caller: Caller, change: object = {}) => {
    const { items, total } = await world.call(listPackages, caller, { workspace, ...change })
    expect(total).toBe(items.length)
    return items.map(({ name }) => name).sort()
  }
  expect(await seen(ada)).toEqual(['linked', 'of-mel', 'open'])
  expect(await seen(mel)).toEqual(['of-mel', 'open'])
  expect(await seen(otto)).toEqual(['linked', 'open'])
  expect(await seen(rita)).toEqual(['linked', 'open'])
  expect(await seen(zoe)).toEqual(['open'])
  expect(await seen(anonymous)).toEqual(['open'])
  expect(await seen(agentOf(ada, repo, { id: 'agt_1' }))).toEqual(['linked', 'open'])
  expect(await seen(withToken(ada, { repos: [repo.id] }))).toEqual(['linked', 'open'])
  expect(await seen(withToken(mel, { workspace: 'wsp_other' }))).toEqual(['open'])
  expect(await seen(ada, { q: 'MEL' })).toEqual(['of-mel'])
  expect(await seen(ada, { q: '%' })).toEqual([])
  expect(await seen(ada, { repo: 'site' })).toEqual(['linked'])
  expect(await seen(ada, { package_type: 'docker' })).toEqual([])
  expect(await seen(ada, { workspace: 'nowhere' })).toEqual([])
})

test('deleted packages are listed for their admins only', async () => {
  const { world, ada, mel, otto, publish } = await makePackageWorld()
  await publish('of-mel', '1.0.0', {}, mel)
  await publish('kept', '1.0.0')
  await world.call(deletePackage, mel, { ...npm('of-mel'), confirm: 'of-mel' })
  const seen = async (caller: Caller, state: 'active' | 'deleted' | 'all') =>
    (await world.call(listPackages, caller, { workspace, state })).items.map(({ name }) => name)
  expect(await seen(mel, 'deleted')).toEqual(['of-mel'])
  expect((await seen(ada, 'all')).sort()).toEqual(['kept', 'of-mel'])
  expect(await seen(ada, 'active')).toEqual(['kept'])
  for (const caller of [otto, anonymous]) expect(await seen(caller, 'deleted')).toEqual([])
})
