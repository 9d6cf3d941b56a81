/** Go modules through an upstream. */
import { expect, test } from 'bun:test'
import { makeServedUpstream } from '../fixture.ts'
import { MINUTE } from '#lib/time.ts'

test('modules, queries and the checksum database come through', async () => {
  const { registry, send, world } = await makeServedUpstream('go')
  const module = 'example.com/!some/pad'
  const at = `/${module}/@v`
  registry.set(`${at}/list`, 'v1.0.0\n')
  registry.set(`/${module}/@latest`, { Version: 'v1.0.0' })
  registry.set(`${at}/v1.0.0.info`, { Version: 'v1.0.0' })
  registry.set(`${at}/v1.0.0.mod`, 'module example.com/Some/pad\n')
  registry.set(`${at}/v1.0.0.zip`, 'PK')
  registry.set(`${at}/main.info`, { Version: 'v1.0.1-0.20200101000000-0123456789ab' })
  registry.set('/sumdb/sum.example.com/supported', '')
  registry.set('/sumdb/sum.example.com/lookup/example.com/!some/pad@v1.0.0', '1\n')
  expect(await (await send(`${module}/@v/list`)).text()).toBe('v1.0.0\n')
  expect((await send(`${module}/@latest`)).status).toBe(200)
  for (const name of ['v1.0.0.info', 'v1.0.0.mod', 'v1.0.0.zip', 'main.info'])
    expect([name, (await send(`${module}/@v/${name}`)).status]).toEqual([name, 200])
  expect((await send('sumdb/sum.example.com/supported')).status).toBe(200)
  expect((await send(`sumdb/sum.example.com/lookup/${module}@v1.0.0`)).status).toBe(200)
  world.clock.advance(10 * MINUTE)
  for (const name of ['v1.0.0.zip', 'main.info']) await send(`${module}/@v/${name}`)
  // A version never changes; a branch does.
  expect(registry.count(`${at}/v1.0.0.zip`)).toBe(1)
  expect(registry.count(`${at}/main.info`)).toBe(2)
})

test('modules of this site and of repositories of the workspace are never asked for', async () => {
  const { world, registry, send, sendAs, token, mel } = await makeServedUpstream('go')
  const secret = await token(mel, ['packages:read', 'code:read'])
  await world.repo('acme/secret', { private: true })
  const host = new URL(world.hearth.settings.site_url).host
  for (const path of [
    `${host}/other/tool/@v/list`,
    `${host}/acme/secret/@v/v1.0.0.zip`,
    'github.com/acme/secret/@v/list',
    'sumdb/sum.example.com/lookup/github.com/acme/secret@v1.0.0',
    'a/../../b/@v/list',
    'example.com/a/@v/..%2f..%2fx.info',
    'sumdb/sum.example.com/../../x',
    // Addresses read each of these as ../../../.., the end of a query or of the path.
    'sumdb/sum.example.com/lookup/a%5c..%5c..%5c..%5c..%5cprivate',
    'sumdb/sum.example.com/lookup/a%2f%252e%252e%2f%252e%252e%2f%252e%252e%2fprivate',
    'sumdb/sum.example.com/lookup/a%3fb',
    'sumdb/sum.example.com/lookup/a%23b',
  ])
    await sendAs(secret, path)
  expect(registry.requests.map(({ url }) => new URL(url).pathname)).toEqual([])
  registry.set('/github.com/acme/elsewhere/@v/list', '')
  expect((await send('github.com/acme/elsewhere/@v/list')).status).toBe(200)
})
