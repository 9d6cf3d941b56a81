/** Gems through an upstream that may be hostile. */
import { expect, test } from 'bun:test'
import { gem } from '../../formats/archives.ts'
import { digestOf, makeServedUpstream } from '../fixture.ts'

const GEM = 'a gem'
const line = (number: string, bytes = GEM): string =>
  `${number} rack:>= 2|checksum:${digestOf('sha256', bytes)},ruby:>= 3.0\n`

async function makeGems() {
  const all = await makeServedUpstream('rubygems')
  const { registry } = all
  registry.set('/versions', 'created_at: 2020-01-01T00:00:00Z\n---\npad-it 1.0.0,1.1.0 0123\n')
  registry.set('/info/pad-it', `---\n${line('1.0.0')}${line('1.1.0-arm64-darwin-22')}`)
  registry.set('/gems/pad-it-1.0.0.gem', GEM)
  registry.set('/gems/pad-it-1.1.0-arm64-darwin-22.gem', GEM)
  registry.set('/quick/Marshal.4.8/pad-it-1.0.0.gemspec.rz', 'a specification')
  return all
}

test('the index joins that of the workspace, and gems come through', async () => {
  const { send, sendAs, token, ada } = await makeGems()
  const owner = await token(ada, ['packages:write'])
  const push = { method: 'POST', body: new Uint8Array(gem('mine', '1.0.0')) }
  expect((await sendAs(owner, 'api/v1/gems', push)).status).toBe(200)
  const versions = await sendAs(owner, 'versions')
  const text = await versions.text()
  const [head, end, ...lines] = text.trim().split('\n')
  expect([head?.startsWith('created_at'), end]).toEqual([true, '---'])
  expect(lines.map((one) => one.split(' ')[0])).toEqual(['mine', 'pad-it'])
  expect(versions.headers.get('etag')).toBe(
    `"${new Bun.CryptoHasher('md5').update(text).digest('hex')}"`,
  )
  // A member who may not see the gem of the workspace gets the others.
  expect(await (await send('versions')).text()).not.toContain('mine')
  expect(await (await send('info/pad-it')).text()).toBe(
    `---\n${line('1.0.0')}${line('1.1.0-arm64-darwin-22')}`,
  )
  for (const name of ['pad-it-1.0.0', 'pad-it-1.1.0-arm64-darwin-22'])
    expect([name, await (await send(`gems/${name}.gem`)).text()]).toEqual([name, GEM])
  const specification = await send('quick/Marshal.4.8/pad-it-1.0.0.gemspec.rz')
  expect(await specification.text()).toBe('a specification')
  expect((await send('gems/pad-it-9.0.0.gem')).status).toBe(404)
})

test('what was added is read by a range', async () => {
  const { registry, send, world } = await makeGems()
  const before = await (await send('versions')).text()
  registry.set(
    '/versions',
    'created_at: 2020-01-01T00:00:00Z\n---\npad-it 1.0.0,1.1.0 0123\nnew 1 45\n',
  )
  world.clock.at += 10 * 60_000
  const range = { headers: { range: `bytes=${before.length - 1}-` } }
  const added = await send('versions', range)
  expect([added.status, await added.text()]).toEqual([206, '\nnew 1 45\n'])
})

test('names of the workspace never come from it, also in names of files', async () => {
  const { registry, send, sendAs, token, ada, set } = await makeGems()
  const owner = await token(ada, ['packages:write'])
  const push = { method: 'POST', body: new Uint8Array(gem('pad', '1.0.0')) }
  await sendAs(owner, 'api/v1/gems', push)
  registry.set('/info/pad', `---\n${line('2.0.0')}${line('2-it-1.0.0')}`)
  registry.set('/gems/pad-2.0.0.gem', GEM)
  expect((await send('info/pad')).status).toBe(404)
  expect((await send('gems/pad-2.0.0.gem')).status).toBe(404)
  expect((await send('gems/pad-2-it-1.0.0.gem')).status).toBe(404)
  await set('rubygems', { reserved_prefixes: ['pad-'] })
  expect((await send('gems/pad-it-1.0.0.gem')).status).toBe(404)
})

test('wrong bytes, no digest, and an upstream that is away', async () => {
  const { registry, send, sendAs, token, ada } = await makeGems()
  registry.set('/info/wrong', `---\n${line('1.0.0', 'other bytes')}1.1.0 |ruby:>= 3\n`)
  registry.set('/gems/wrong-1.0.0.gem', GEM)
  registry.set('/gems/wrong-1.1.0.gem', GEM)
  expect((await send('gems/wrong-1.0.0.gem')).status).toBe(503)
  expect((await send('gems/wrong-1.1.0.gem')).status).toBe(503)
  const owner = await token(ada, ['packages:write'])
  const push = { method: 'POST', body: new Uint8Array(gem('mine', '1.0.0')) }
  await sendAs(owner, 'api/v1/gems', push)
  registry.isDown = true
  const versions = await sendAs(owner, 'versions')
  expect([versions.status, versions.headers.get('warning')]).toEqual([
    200,
    '110 - "Response is Stale"',
  ])
  expect(await versions.text()).toContain('mine 1.0.0')
})
