import { expect, test } from 'bun:test'
import { getUsage } from '#features/site/get-usage.ts'
import { setQuota } from '#features/site/set-quota.ts'
import { makeWorld, refusal } from '../../world.ts'

test('members see the usage of their workspace with its quotas', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada })
  await world.call(setQuota, root, { workspace: 'acme', members: 5 })
  expect(await world.call(getUsage, bob, { workspace: 'acme' })).toMatchObject({
    repositories: { used: 1, limit: null },
    members: { used: 2, limit: 5 },
    caches_bytes: { used: 0, limit: null },
  })
  const out = await world.user('out')
  expect((await refusal(world.call(getUsage, out, { workspace: 'acme' }))).code).toBe('not_found')
})
