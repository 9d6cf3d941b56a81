/** npm through an upstream that may be hostile. */
import { expect, test } from 'bun:test'
import { listUpstreamPackages } from '#features/packages/upstreams/list-upstream-packages.ts'
import { getJson, SLIM } from '../requests.ts'
import { digestOf, makeServedUpstream, startRegistry, workspace } from '../fixture.ts'
import { publishThere, TARBALL } from '../packuments.ts'

const version = (url: string, name: string, number: string) => ({
  name,
  version: number,
  description: 'Pads',
  dependencies: { other: '^1.0.0' },
  scripts: { postinstall: 'node x' },
  dist: {
    tarball: `${url}/files/${number}.tgz`,
    integrity: `sha512-${Buffer.from(digestOf('sha512', TARBALL), 'hex').toString('base64')}`,
    signatures: [{ keyid: 'one', sig: 'two' }],
  },
})

test('packuments have the addresses of this forge, full, slim and of a version', async () => {
  const { registry, send, world } = await makeServedUpstream('npm')
  const name = '@scope/pad'
  registry.set('/@scope%2fpad', {
    name,
    readme: 'Read me',
    'dist-tags': { latest: '1.1.0' },
    time: { created: '2020-01-01T00:00:00.000Z', '1.0.0': '2020-01-01T00:00:00.000Z' },
    versions: {
      '1.0.0': version(registry.url, name, '1.0.0'),
      '1.1.0': version(registry.url, name, '1.1.0'),
    },
  })
  registry.set('/files/1.1.0.tgz', TARBALL)
  const base = `${world.hearth.settings.site_url}/packages/acme/npm/@scope/pad/-/`
  const full = await getJson(send('@scope%2Fpad'))
  expect(full.readme).toBe('Read me')
  expect(full.versions['1.1.0'].dist.tarball).toBe(`${base}pad-1.1.0.tgz`)
  expect(full.versions['1.1.0'].dist.signatures).toHaveLength(1)
  const slim = await getJson(send('@scope/pad', SLIM))
  expect(slim.versions['1.1.0']).toMatchObject({ hasInstallScript: true, dependencies: {} })
  expect(slim.versions['1.1.0'].description).toBeUndefined()
  expect((await getJson(send('@scope/pad/latest'))).version).toBe('1.1.0')
  expect((await getJson(send('@scope/pad/1.0.0'))).version).toBe('1.0.0')
  expect(await getJson(send('-/package/@scope%2fpad/dist-tags'))).toEqual({ latest: '1.1.0' })
  expect(await (await send('@scope/pad/-/pad-1.1.0.tgz')).text()).toBe(TARBALL)
  expect((await send('@scope/pad/-/pad-9.9.9.tgz')).status).toBe(404)
  expect((await send('@scope/pad?write=true')).status).toBe(404)
})

test('versions that are too young are left out, and latest goes back', async () => {
  const { registry, send, world } = await makeServedUpstream('npm', { min_age_days: 7 })
  const now = world.clock.at
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()
  const numbers = ['1.0.0', '1.1.0', '1.2.0-rc.1', '2.0.0', '3.0.0']
  registry.set('/pad', {
    name: 'pad',
    'dist-tags': { latest: '2.0.0', next: '3.0.0' },
    // The age of 1.1.0 is not known.
    time: {
      '1.0.0': daysAgo(30),
      '1.2.0-rc.1': daysAgo(20),
      '2.0.0': daysAgo(3),
      '3.0.0': daysAgo(1),
    },
    versions: Object.fromEntries(
      numbers.map((number) => [number, version(registry.url, 'pad', number)]),
    ),
  })
  registry.set('/files/2.0.0.tgz', TARBALL)
  const full = await getJson(send('pad'))
  expect(Object.keys(full.versions)).toEqual(['1.0.0', '1.2.0-rc.1'])
  expect(full['dist-tags']).toEqual({ latest: '1.0.0' })
  expect(full.time['2.0.0']).toBeUndefined()
  expect((await send('pad/-/pad-2.0.0.tgz')).status).toBe(404)
  world.clock.advance(5 * 86_400_000)
  expect((await getJson(send('pad')))['dist-tags']).toEqual({ latest: '2.0.0' })
})

test('wrong bytes, endless bodies and private addresses are refused, and nothing is kept', async () => {
  const served = await makeServedUpstream('npm')
  const { registry, send, world, ada } = served
  let isCancelled = false
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 ** 2)),
        cancel: () => {
          isCancelled = true
        },
      }),
    )
  const redirect = (location: string) => () =>
    new Response(null, { status: 302, headers: { location } })
  const cases: Record<string, () => Response> = {
    wrong: () => new Response('other bytes'),
    endless,
    inside: redirect('http://169.254.169.254/latest/meta-data'),
    circle: redirect(`${registry.url}/circle/-/circle-1.0.0.tgz`),
    broken: () => new Response('no', { status: 500 }),
    coded: () => new Response('x', { headers: { 'content-encoding': 'br' } }),
  }
  for (const [name, answer] of Object.entries(cases)) {
    publishThere(served, name)
    registry.set(`/${name}/-/${name}-1.0.0.tgz`, answer)
    const response = await send(`${name}/-/${name}-1.0.0.tgz`)
    expect([name, response.status]).toEqual([name, 503])
  }
  expect(isCancelled).toBe(true)
  publishThere(served, 'undigested', { shasum: undefined })
  expect((await send('undigested/-/undigested-1.0.0.tgz')).status).toBe(503)
  // The beginning of the right bytes, and then the connection ends.
  const cut = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket) => {
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${TARBALL.slice(0, 100)}`)
      },
    },
  })
  publishThere(served, 'cut', { tarball: `http://127.0.0.1:${cut.port}/cut.tgz` })
  expect((await send('cut/-/cut-1.0.0.tgz')).status).toBe(503)
  cut.stop(true)
  publishThere(served, 'elsewhere', { tarball: 'http://10.0.0.1/x.tgz' })
  expect((await send('elsewhere/-/elsewhere-1.0.0.tgz')).status).toBe(503)
  const { items } = await world.call(listUpstreamPackages, ada, { workspace, package_type: 'npm' })
  // Only their documents.
  expect(items.map(({ file_count }) => file_count)).toEqual(items.map(() => 1))
})

test('documents that lie or are broken are refused', async () => {
  const { registry, send } = await makeServedUpstream('npm')
  registry.set('/other', { name: 'lie', versions: { '1.0.0': {} } })
  registry.set('/text', 'no JSON')
  registry.set('/deep', `{"name":"deep","versions":${'['.repeat(1e6)}`)
  registry.set('/many', `{"name":"many","versions":{},"x":[${'[],'.repeat(8_000_001)}[]]}`)
  registry.set('/empty', { name: 'empty', versions: { '1.0.0': 7, 'no version': {} } })
  expect((await send('other')).status).toBe(503)
  expect((await send('text')).status).toBe(503)
  expect((await send('deep')).status).toBe(503)
  expect((await send('many')).status).toBe(503)
  expect((await send('empty')).status).toBe(404)
})

test('names with .. and broken names are never sent', async () => {
  const { registry, send } = await makeServedUpstream('npm')
  for (const path of [
    '..%2f..%2fsecret',
    '@..%2fx',
    '.hidden',
    '@a%2f..%2fb',
    'pad/-/..%2f..%2fx.tgz',
    'a%20b',
    'a%3fb',
    'a%23b',
  ])
    expect([path, (await send(path)).status]).toEqual([path, 404])
  expect(registry.requests.map(({ url }) => new URL(url).pathname)).toEqual([])
})

test('the secret goes to the registry, and to no other server', async () => {
  const { registry, send } = await makeServedUpstream('npm', { secret: 'very-secret' })
  const other = startRegistry()
  other.set('/files/1.0.0.tgz', TARBALL)
  registry.set('/pad', { name: 'pad', versions: { '1.0.0': version(other.url, 'pad', '1.0.0') } })
  expect((await send('pad/-/pad-1.0.0.tgz')).status).toBe(200)
  expect(registry.requests[0]?.headers.get('authorization')).toBe('Bearer very-secret')
  expect(other.requests[0]?.headers.get('authorization')).toBeNull()
})
