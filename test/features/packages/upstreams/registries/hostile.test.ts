/** What registries of NuGet, gems and Composer may try: no foreign byte, and no fault of the forge. */
import { expect, test } from 'bun:test'
import { listUpstreamPackages } from '#features/packages/upstreams/list-upstream-packages.ts'
import { digestOf, makeServedUpstream, workspace } from '../fixture.ts'
import { getJson } from '../requests.ts'

/** After it, what failed or was read is asked for again. */
const PAUSE_MS = 10 * 60_000

type Served = Awaited<ReturnType<typeof makeServedUpstream>>

const redirect = (location: string) => () =>
  new Response(null, { status: 302, headers: { location } })

const INSIDE = ['http://169.254.169.254/latest', 'http://10.0.0.1/x', 'file:///etc/passwd']

/** More bytes than anything may have, at 1 MiB a time. */
function endless() {
  const cancelled = Promise.withResolvers<boolean>()
  const answer = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 ** 2).fill(0x20)),
        cancel: () => cancelled.resolve(true),
      }),
    )
  return { answer, cancelled: cancelled.promise }
}

/** Answers with the answer at a path of the registry, asked for by a path of this forge. */
type Place = readonly [theirs: string, ours: string]

async function refuseAll({ registry, send, world }: Served, [theirs, ours]: Place): Promise<void> {
  const body = endless()
  const cases: readonly (readonly [string, () => Response])[] = [
    ...INSIDE.map((address) => [address, redirect(address)] as const),
    ['a circle', redirect(registry.url + theirs)],
    ['a coding', () => new Response('x', { headers: { 'content-encoding': 'br' } })],
    ['no end', body.answer],
  ]
  for (const [what, answer] of cases) {
    registry.set(theirs, answer)
    const before = registry.count(theirs)
    // An address that failed is left alone for a while.
    world.clock.at += PAUSE_MS
    const { status } = await send(ours)
    expect([what, status, registry.count(theirs) > before]).toEqual([what, 503, true])
  }
  expect(await body.cancelled).toBe(true)
  registry.remove(theirs)
  world.clock.at += PAUSE_MS
}

const filesIn = async ({ world, ada }: Served, package_type: 'nuget' | 'rubygems' | 'composer') => {
  const { items } = await world.call(listUpstreamPackages, ada, { workspace, package_type })
  return items.reduce((sum, { file_count }) => sum + file_count, 0)
}

const MANY = Array.from({ length: 100_000 }, (_, at) => `1.0.${at}`)

test('NuGet: redirects, endless bodies, addresses inside, and a hundred thousand versions', async () => {
  const served = await makeServedUpstream('nuget')
  const { registry, send, world } = served
  const index = (at: string) => ({
    resources: [
      { '@id': at, '@type': 'PackageBaseAddress/3.0.0' },
      { '@id': at, '@type': 'RegistrationsBaseUrl/3.6.0' },
    ],
  })
  await refuseAll(served, ['/index.json', 'v3/flat/pad/index.json'])
  const expire = () => (world.clock.at += PAUSE_MS)
  for (const address of [...INSIDE, 'http://', '//10.0.0.1/x']) {
    registry.set('/index.json', index(address))
    expire()
    expect([address, (await send('v3/flat/pad/index.json')).status]).toEqual([address, 503])
  }
  registry.set('/index.json', index(`${registry.url}/at`))
  expire()
  await refuseAll(served, ['/at/pad/index.json', 'v3/flat/pad/index.json'])
  await refuseAll(served, ['/at/pad/index.json', 'v3/reg/pad/index.json'])
  expect(await filesIn(served, 'nuget')).toBeLessThan(4)

  registry.set('/at/many/index.json', { versions: MANY })
  expect((await getJson(send('v3/flat/many/index.json'))).versions).toEqual(MANY)
  const catalogEntry = { id: 'Wide', listed: true }
  const items = MANY.map((version) => ({ catalogEntry: { ...catalogEntry, version } }))
  const page = { lower: MANY[0], upper: MANY.at(-1), items }
  registry.set('/at/wide/index.json', { items: [page] })
  const wide = await getJson(send('v3/reg/wide/index.json'))
  expect(wide.items[0].items).toHaveLength(MANY.length)
})

test('NuGet: pages and files that lead elsewhere, and names that try paths', async () => {
  const served = await makeServedUpstream('nuget')
  const { registry, send } = served
  const types = ['PackageBaseAddress/3.0.0', 'RegistrationsBaseUrl/3.6.0']
  registry.set('/index.json', { resources: [{ '@id': `${registry.url}/at`, '@type': types }] })
  for (const address of INSIDE) {
    const page = { '@id': address, lower: '1.0.0', upper: '2.0.0' }
    registry.set('/at/pad/index.json', { items: [page] })
    expect((await send('v3/reg/pad/page/1.0.0/2.0.0.json')).status).toBe(503)
    served.world.clock.at += PAUSE_MS
  }
  const file = 'v3/flat/pad/1.0.0/pad.1.0.0.nupkg'
  await refuseAll(served, ['/at/pad/1.0.0/pad.1.0.0.nupkg', file])
  const before = registry.requests.length
  for (const path of [
    'v3/flat/..%2fx/index.json',
    'v3/flat/pad/..%2f..%2fx/pad.nupkg',
    'v3/flat/pad/1.0.0/..%2fx.nupkg',
    'v3/reg/pad/page/..%2f..%2fx/2.0.0.json',
    'v3/reg/pad/%00.json',
    'v3/flat/pad%3fx/index.json',
    `v3/flat/${'a'.repeat(5000)}/index.json`,
  ])
    expect([path.slice(0, 60), (await send(path)).status]).toEqual([path.slice(0, 60), 404])
  expect(registry.requests).toHaveLength(before)
})

test('gems: redirects, endless bodies, wrong bytes, and a hundred thousand versions', async () => {
  const served = await makeServedUpstream('rubygems')
  const { registry, send, world } = served
  await refuseAll(served, ['/info/pad', 'info/pad'])
  await refuseAll(served, ['/info/pad', 'gems/pad-1.0.0.gem'])
  const line = (number: string, bytes: string): string =>
    `${number} |checksum:${digestOf('sha256', bytes)}\n`
  registry.set('/info/pad', `---\n${line('1.0.0', 'a gem')}`)
  await refuseAll(served, ['/gems/pad-1.0.0.gem', 'gems/pad-1.0.0.gem'])
  registry.set('/gems/pad-1.0.0.gem', 'another gem')
  expect((await send('gems/pad-1.0.0.gem')).status).toBe(503)
  registry.set('/gems/pad-1.0.0.gem', 'a gem')
  world.clock.at += PAUSE_MS
  expect(await (await send('gems/pad-1.0.0.gem')).text()).toBe('a gem')

  registry.set('/info/many', `---\n${MANY.map((number) => line(number, 'a gem')).join('')}`)
  registry.set('/gems/many-1.0.99999.gem', 'a gem')
  expect((await send('info/many')).status).toBe(200)
  expect(await (await send('gems/many-1.0.99999.gem')).text()).toBe('a gem')
  // A part of a line is no version.
  expect((await send('gems/many-0.99999.gem')).status).toBe(404)

  registry.set('/versions', 'no list of versions')
  expect((await send('versions')).status).toBe(503)
  const before = registry.requests.length
  for (const path of [
    ...['info/..%2fx', 'info/a%0ab', 'info/a%3fb', 'gems/..%2f..%2fx-1.gem'],
    ...['quick/Marshal.4.8/..%2fx-1.gemspec.rz', `gems/${'a-1'.repeat(2000)}.gem`],
  ])
    expect([path.slice(0, 60), (await send(path)).status]).toEqual([path.slice(0, 60), 404])
  expect(registry.requests).toHaveLength(before)
})

test('Composer: redirects, endless bodies, addresses inside, and a hundred thousand versions', async () => {
  const served = await makeServedUpstream('composer')
  const { registry, send, world } = served
  const expire = () => (world.clock.at += PAUSE_MS)
  await refuseAll(served, ['/packages.json', 'p2/pad/it.json'])
  for (const address of [...INSIDE, '//10.0.0.1', 'http://[']) {
    registry.set('/packages.json', { 'metadata-url': `${address}/%package%.json` })
    expire()
    expect([address, (await send('p2/pad/it.json')).status]).toEqual([address, 503])
  }
  registry.set('/packages.json', { 'metadata-url': '/p/%package%.json' })
  expire()
  await refuseAll(served, ['/p/pad/it.json', 'p2/pad/it.json'])
  const version = (number: string, url: string, shasum = '') => ({
    ...{ name: 'pad/it', version: number, version_normalized: `${number}.0` },
    dist: { type: 'zip', url, reference: number, shasum },
  })
  const put = (versions: object[]) => {
    registry.set('/p/pad/it.json', { packages: { 'pad/it': versions } })
    expire()
  }
  const fileOf = async (): Promise<string> => {
    const { packages } = await getJson(send('p2/pad/it.json'))
    const { pathname } = new URL(packages['pad/it'][0].dist.url)
    return decodeURIComponent(pathname).replace(/^.*\/composer\//, '')
  }
  for (const address of INSIDE.slice(0, 2)) {
    put([version('1.0.0', address)])
    expect([address, (await send(await fileOf())).status]).toEqual([address, 503])
  }
  put([version('1.0.0', `${registry.url}/zip`)])
  await refuseAll(served, ['/zip', await fileOf()])
  put([version('1.0.0', `${registry.url}/zip`, digestOf('sha1', 'an archive'))])
  registry.set('/zip', 'another archive')
  expect((await send(await fileOf())).status).toBe(503)

  put(MANY.map((number) => version(number, `${registry.url}/zip`)))
  const { packages } = await getJson(send('p2/pad/it.json'))
  expect(packages['pad/it']).toHaveLength(MANY.length)
  const before = registry.requests.length
  for (const path of [
    ...['p2/..%2f..%2fx.json', 'p2/pad/..%2fx.json', 'p2/pad/%2e%2e.json', 'p2/pad/it%3fx.json'],
    ...['files/pad/it/..%2fx.zip', 'files/../it/x.zip'],
  ])
    expect([path, (await send(path)).status]).toEqual([path, 404])
  expect(registry.requests).toHaveLength(before)
})
