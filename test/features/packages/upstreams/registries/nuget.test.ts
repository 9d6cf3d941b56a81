/** NuGet packages through an upstream that may be hostile. */
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { makeServedUpstream } from '../fixture.ts'
import { getJson } from '../requests.ts'

const BASE = 'https://hearth.test/packages/acme/nuget/v3'

async function makeSource() {
  const all = await makeServedUpstream('nuget')
  const { registry } = all
  registry.set('/index.json', {
    version: '3.0.0',
    resources: [
      { '@id': `${registry.url}/content/`, '@type': 'PackageBaseAddress/3.0.0' },
      { '@id': `${registry.url}/semver1/`, '@type': ['RegistrationsBaseUrl'] },
      { '@id': `${registry.url}/semver2/`, '@type': 'RegistrationsBaseUrl/3.6.0' },
    ],
  })
  return all
}

const leaf = (version: string, change: object = {}) => ({
  '@id': `https://elsewhere.example/${version}.json`,
  packageContent: `https://elsewhere.example/${version}.nupkg`,
  catalogEntry: {
    '@id': `https://elsewhere.example/catalog/${version}`,
    id: 'Pad.It',
    version,
    listed: true,
    dependencyGroups: [
      {
        dependencies: [
          { id: 'Other', range: '[1.0.0, )', registration: 'https://elsewhere.example' },
        ],
      },
    ],
    ...change,
  },
})

const page = (lower: string, upper: string, items?: object[]) => ({
  '@id': `https://elsewhere.example/page/${lower}`,
  '@type': 'catalog:CatalogPage',
  count: 1,
  lower,
  upper,
  ...(items && { items }),
})

test('documents lead here, and packages come through', async () => {
  const { registry, send } = await makeSource()
  registry.set('/content/pad.it/index.json', { versions: ['1.0.0', '1.1.0-Rc', 'none'] })
  registry.set('/content/pad.it/1.0.0/pad.it.1.0.0.nupkg', 'a package')
  registry.set('/content/pad.it/1.0.0/pad.it.nuspec', '<package/>')
  const index = { items: [page('1.0.0', '1.0.0', [leaf('1.0.0')])] }
  // As nuget.org has its registrations: compressed, whatever was asked for.
  registry.set(
    '/semver2/pad.it/index.json',
    () =>
      new Response(gzipSync(JSON.stringify(index)), { headers: { 'content-encoding': 'gzip' } }),
  )
  expect(await getJson(send('v3/flat/pad.it/index.json'))).toEqual({
    versions: ['1.0.0', '1.1.0-rc'],
  })
  const found = await getJson(send('v3/reg/Pad.It/index.json'))
  const text = JSON.stringify(found)
  expect([text.includes('elsewhere'), text.includes(registry.url)]).toEqual([false, false])
  expect(found).toMatchObject({
    count: 1,
    items: [
      {
        lower: '1.0.0',
        items: [
          {
            packageContent: `${BASE}/flat/pad.it/1.0.0/pad.it.1.0.0.nupkg`,
            catalogEntry: { id: 'Pad.It', listed: true, '@id': `${BASE}/reg/pad.it/1.0.0.json` },
          },
        ],
      },
    ],
  })
  const file = await send('v3/flat/pad.it/1.0.0/pad.it.1.0.0.nupkg')
  expect([file.status, await file.text()]).toEqual([200, 'a package'])
  expect(await (await send('v3/flat/pad.it/1.0.0/pad.it.nuspec')).text()).toBe('<package/>')
  registry.isDown = true
  expect(await (await send('v3/flat/pad.it/1.0.0/pad.it.1.0.0.nupkg')).text()).toBe('a package')
  expect((await send('v3/flat/pad.it/2.0.0/pad.it.2.0.0.nupkg')).status).toBe(503)
})

test('pages of a long index are found where it says, also for clients without SemVer 2', async () => {
  const { registry, send } = await makeSource()
  const pages = [page('1.0.0', '1.9.0'), page('2.0.0', '2.9.0')]
  const at = (one: object) => ({ ...one, '@id': `${registry.url}/far/away.json` })
  registry.set('/semver1/pad.it/index.json', { items: [pages[0], at(pages[1] ?? {})] })
  registry.set('/far/away.json', page('2.0.0', '2.9.0', [leaf('2.0.0'), leaf('2.9.0')]))
  const index = await getJson(send('v3/reg1/pad.it/index.json'))
  expect(index.items).toHaveLength(2)
  expect(JSON.stringify(index)).toContain(`${BASE}/reg1/pad.it/page/2.0.0/2.9.0.json`)
  const second = await getJson(send('v3/reg1/pad.it/page/2.0.0/2.9.0.json'))
  expect([second.count, second.lower]).toEqual([2, '2.0.0'])
  expect((await send('v3/reg1/pad.it/page/3.0.0/3.9.0.json')).status).toBe(404)
})

test('one leaf, other packages, broken documents and paths', async () => {
  const { registry, send } = await makeSource()
  registry.set('/semver2/pad.it/1.0.0.json', {
    '@id': `${registry.url}/semver2/pad.it/1.0.0.json`,
    catalogEntry: 'https://elsewhere.example/catalog',
    listed: true,
  })
  expect(await getJson(send('v3/reg/pad.it/1.0.0.json'))).toEqual({
    '@id': `${BASE}/reg/pad.it/1.0.0.json`,
    listed: true,
    packageContent: `${BASE}/flat/pad.it/1.0.0/pad.it.1.0.0.nupkg`,
    registration: `${BASE}/reg/pad.it/index.json`,
  })
  registry.set('/semver2/other/index.json', { items: [page('1.0.0', '1.0.0', [leaf('1.0.0')])] })
  expect((await send('v3/reg/other/index.json')).status).toBe(503)
  registry.set(
    '/semver2/broken/index.json',
    () => new Response('not gzip', { headers: { 'content-encoding': 'gzip' } }),
  )
  expect((await send('v3/reg/broken/index.json')).status).toBe(503)
  registry.set(
    '/semver2/bomb/index.json',
    () =>
      new Response(gzipSync(Buffer.alloc(80 * 1024 ** 2)), {
        headers: { 'content-encoding': 'gzip' },
      }),
  )
  expect((await send('v3/reg/bomb/index.json')).status).toBe(503)
  for (const path of ['v3/flat/..%2f..%2fx/index.json', 'v3/flat/pad.it/1.0/pad.it.1.0.nupkg'])
    expect([path, (await send(path)).status]).toEqual([path, 404])
  expect((await send('v3/flat/missing/index.json')).status).toBe(404)
})
