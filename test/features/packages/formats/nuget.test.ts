/** The registry as NuGet talks to it: its requests, word for word. */
import { expect, test } from 'bun:test'
import { makeServedPackages } from '../fixture.ts'
import { nupkg, nuspec, zip } from './archives.ts'

const base = '/packages/acme/nuget'

/** A form as the client sends it: names without quotes, a boundary in quotes. */
const form = (file: Buffer): { body: Uint8Array; type: string } => ({
  body: Buffer.concat([
    Buffer.from(
      "--b-1\r\nContent-Type: application/octet-stream\r\nContent-Disposition: form-data; name=package; filename=package.nupkg; filename*=utf-8''package.nupkg\r\n\r\n",
    ),
    file,
    Buffer.from('\r\n--b-1--\r\n'),
  ]),
  type: 'multipart/form-data; boundary="b-1"',
})

async function makeRegistry() {
  const served = await makeServedPackages()
  const secret = await served.token()
  const push = async (file: Buffer, path = 'v2/package/', key: string | null = secret) => {
    const { body, type } = form(file)
    return served.send(`${base}/${path}`, {
      method: 'PUT',
      body: new Uint8Array(body),
      headers: { 'content-type': type, ...(key !== null && { 'x-nuget-apikey': key }) },
    })
  }
  const ask = (path: string, init: RequestInit = {}) =>
    served.send(`${base}/${path}`, {
      ...init,
      headers: { authorization: `Basic ${btoa(`any:${secret}`)}`, ...init.headers },
    })
  const json = async (path: string) => (await ask(path)).json()
  return { ...served, secret, push, ask, json }
}

test('push, registration, content, search and unlist', async () => {
  const { push, ask, json, secret } = await makeRegistry()
  const dependencies =
    '<dependencies><group targetFramework=".NETStandard2.0"><dependency id="Other" version="2.0" /></group></dependencies>'
  const first = await nupkg('Acme.Hello', '1.0.0', dependencies)
  expect((await push(first)).status).toBe(201)
  expect((await push(first)).status).toBe(201)
  expect((await push(await nupkg('acme.hello', '1.0'))).status).toBe(409)
  for (const version of ['1.10.0', '1.2.0', '2.0.0-rc.1', '2.0.0-beta'])
    expect((await push(await nupkg('Acme.Hello', version))).status).toBe(201)

  const { resources } = (await (await fetchIndex(ask)).json()) as {
    resources: { '@type': string }[]
  }
  const types = resources.map((resource) => resource['@type'])
  for (const type of [
    'PackageBaseAddress/3.0.0',
    'RegistrationsBaseUrl/3.6.0',
    'PackagePublish/2.0.0',
  ])
    expect(types).toContain(type)
  expect(await json('v3/flat/acme.hello/index.json')).toEqual({
    versions: ['1.0.0', '1.2.0', '1.10.0', '2.0.0-beta', '2.0.0-rc.1'],
  })
  const file = await ask('v3/flat/acme.hello/1.0.0/acme.hello.1.0.0.nupkg')
  expect(Buffer.compare(await file.bytes(), first)).toBe(0)
  const described = await ask('v3/flat/acme.hello/1.0.0/acme.hello.nuspec')
  expect(await described.text()).toBe(nuspec('Acme.Hello', '1.0.0', dependencies))

  const all = await json('v3/reg/acme.hello/index.json')
  expect(all.items[0]).toMatchObject({ count: 5, lower: '1.0.0', upper: '2.0.0-rc.1' })
  expect(all.items[0].items[0].catalogEntry).toMatchObject({
    id: 'Acme.Hello',
    listed: true,
    tags: ['a', 'b'],
    dependencyGroups: [
      { targetFramework: '.NETStandard2.0', dependencies: [{ id: 'Other', range: '[2.0, )' }] },
    ],
  })
  // Clients without SemVer 2 do not see 2.0.0-rc.1.
  expect((await json('v3/reg1/acme.hello/index.json')).items[0].upper).toBe('2.0.0-beta')
  expect((await json('v3/reg/acme.hello/1.2.0.json')).packageContent).toMatch(
    /v3\/flat\/acme\.hello\/1\.2\.0\/acme\.hello\.1\.2\.0\.nupkg$/,
  )
  const found = await json('v3/query?q=HELLO&prerelease=true&semVerLevel=2.0.0')
  expect([found.totalHits, found.data[0].version, found.data[0].versions.length]).toEqual([
    1,
    '2.0.0-rc.1',
    5,
  ])
  expect((await json('v3/query?q=hello')).data[0].version).toBe('1.10.0')
  expect((await json('v3/autocomplete?id=acme.hello')).data).toEqual(['1.0.0', '1.2.0', '1.10.0'])

  const unlist = { headers: { 'x-nuget-apikey': secret } }
  const path = 'v2/package/Acme.Hello/1.10.0'
  expect((await ask(path, { method: 'DELETE', ...unlist })).status).toBe(204)
  expect((await json('v3/query?q=hello')).data[0].version).toBe('1.2.0')
  const leaf = (await json('v3/reg/acme.hello/1.10.0.json')).catalogEntry
  expect([leaf.listed, leaf.published]).toEqual([false, '1900-01-01T00:00:00Z'])
  expect((await ask('v3/flat/acme.hello/1.10.0/acme.hello.1.10.0.nupkg')).status).toBe(200)
  expect((await ask(path, { method: 'POST', ...unlist })).status).toBe(200)
  expect((await json('v3/query?q=hello')).data[0].version).toBe('1.10.0')
})

const fetchIndex = (ask: (path: string) => Promise<Response>): Promise<Response> =>
  ask('v3/index.json')

test('symbols join the version that is there', async () => {
  const { push, ask } = await makeRegistry()
  const types = '<packageTypes><packageType name="SymbolsPackage" /></packageTypes>'
  const symbols = await nupkg('Acme.Hello', '1.0.0', types)
  expect((await push(symbols, 'v2/symbolpackage')).status).toBe(404)
  await push(await nupkg('Acme.Hello', '1.0.0'))
  expect((await push(symbols, 'v2/symbolpackage')).status).toBe(201)
  expect((await push(symbols)).status).toBe(400)
  expect((await push(await nupkg('Acme.Hello', '1.0.0'), 'v2/symbolpackage')).status).toBe(400)
  expect((await ask('v3/flat/acme.hello/1.0.0/acme.hello.1.0.0.snupkg')).status).toBe(200)
})

test('what is no package is refused, and strangers are asked for a token', async () => {
  const { push, send, world, token, zoe } = await makeRegistry()
  const cases: [Buffer, number][] = [
    [Buffer.from('no zip'), 422],
    [await zip({ 'a.txt': 'x' }), 422],
    [await zip({ 'a.nuspec': nuspec('a', '1.0'), 'b.nuspec': nuspec('b', '1.0') }), 422],
    [await zip({ 'a.nuspec': '<!DOCTYPE x [<!ENTITY y "z">]><package/>' }), 422],
    [await nupkg('../evil', '1.0.0'), 422],
    [await nupkg('Acme', 'one'), 422],
  ]
  for (const [file, status] of cases) expect((await push(file)).status).toBe(status)
  expect((await push(await nupkg('A', '1.0.0'), 'v2/package', null)).status).toBe(401)
  expect((await push(await nupkg('A', '1.0.0'), 'v2/package', await token(zoe))).status).toBe(404)
  expect(world.hearth.db.all('SELECT id FROM packages')).toEqual([])
  await push(await nupkg('A', '1.0.0'))
  expect((await send(`${base}/v3/index.json`)).status).toBe(200)
  const hidden = await send(`${base}/v3/reg/a/index.json`)
  expect([hidden.status, hidden.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="Hearth"',
  ])
  expect((await send(`${base}/v3/flat/none/index.json`)).status).toBe(401)
})
