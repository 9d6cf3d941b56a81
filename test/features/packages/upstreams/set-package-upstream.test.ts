import { expect, test } from 'bun:test'
import { listPackageUpstreams } from '#features/packages/upstreams/list-package-upstreams.ts'
import { listAllUpstreams } from '#features/packages/upstreams/store.ts'
import { refusal } from '../../../world.ts'
import { makeUpstreamWorld, workspace } from './fixture.ts'

test('owners set an upstream; its secret is sealed and never shown', async () => {
  const { world, ada, mel, registry, set } = await makeUpstreamWorld()
  expect((await refusal(set('npm', {}, mel))).status).toBe(403)
  const made = await set('npm', { url: `${registry.url}/npm/`, secret: 'very-secret' })
  expect(made).toMatchObject({
    url: `${registry.url}/npm`,
    has_secret: true,
    reserved_prefixes: ['@acme/'],
    min_age_days: 0,
    file_count: 0,
  })
  expect(JSON.stringify(made)).not.toContain('very-secret')
  const { upstreams } = await world.call(listPackageUpstreams, ada, { workspace })
  expect(upstreams).toEqual([made])
  const [row] = listAllUpstreams(world.hearth.db)
  expect(row?.secret).not.toContain('very-secret')
  const audit = world.hearth.db.all<{ data: string }>(
    `SELECT data FROM audit_log WHERE action = 'package_upstream.set'`,
  )
  expect(audit).toHaveLength(1)
  expect(audit[0]?.data).not.toContain('very-secret')
})

test('a stored secret stays with its server, and goes with another or with an empty text', async () => {
  const { registry, set } = await makeUpstreamWorld()
  await set('npm', { secret: 'very-secret' })
  expect((await set('npm', { url: `${registry.url}/other` })).has_secret).toBe(true)
  expect((await set('npm', { url: 'https://registry.example.com' })).has_secret).toBe(false)
  await set('npm', { secret: 'very-secret' })
  expect((await set('npm', { secret: '' })).has_secret).toBe(false)
})

test('what may not be reached is refused', async () => {
  const { set, world } = await makeUpstreamWorld()
  for (const url of [
    'https://10.0.0.1',
    'https://169.254.169.254/latest',
    'ftp://registry.example.com',
    'https://ada:secret@registry.example.com',
    'https://registry.example.com/?token=1',
    'not an address',
    world.hearth.settings.site_url,
  ])
    expect([url, (await refusal(set('npm', { url }))).field]).toEqual([url, 'url'])
})
