/** The repository as composer talks to it: its requests, word for word. */
import { expect, test } from 'bun:test'
import { updatePackage } from '#features/packages/update-package.ts'
import { makeServedPackages } from '../fixture.ts'
import { zip } from './archives.ts'

const base = '/packages/acme/composer'

const library = (more: Readonly<Record<string, unknown>> = {}, folder = '') =>
  zip({
    [`${folder}composer.json`]: JSON.stringify({
      name: 'acme/hello',
      description: 'Says hello',
      require: { php: '>=8' },
      ...more,
    }),
    [`${folder}a.php`]: JSON.stringify(more),
  })

async function makeRepository() {
  const served = await makeServedPackages()
  const secret = await served.token()
  const put = async (path: string, file: Buffer, token: string | null = secret) => {
    const response = await served.send(`${base}/${path}`, {
      method: 'PUT',
      body: new Uint8Array(file),
      headers: token === null ? {} : { authorization: `Basic ${btoa(`token:${token}`)}` },
    })
    return [response.status, await response.json()]
  }
  const ask = (path: string, init: RequestInit = {}) =>
    served.send(`${base}/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${secret}`, ...init.headers },
    })
  const json = async (path: string) => (await ask(path)).json()
  return { ...served, put, ask, json }
}

test('upload, metadata, download, search and counts', async () => {
  const { put, ask, json } = await makeRepository()
  const first = await library()
  expect(await put('?version=1.0.0', first)).toEqual([
    201,
    { name: 'acme/hello', version: '1.0.0' },
  ])
  expect((await put('?version=1.0.0', first))[0]).toBe(200)
  const other = await put('package.zip?version=v1.0', await library({ license: 'MIT' }))
  expect(other).toEqual([
    409,
    { message: 'acme/hello v1.0 exists with other content: use a new number', status: 'error' },
  ])
  await put('acme/hello.zip?version=1.10', await library({ version: '1.10.0' }, 'hello-1.10/'))
  await put('?version=dev-feature/a', await library({ source: { url: 'https://example.com' } }))

  expect(await json('packages.json')).toMatchObject({
    'metadata-url': expect.stringMatching(/\/p2\/%package%\.json$/),
    'available-packages': ['acme/hello'],
  })
  const tagged = (await json('p2/acme/hello.json')).packages['acme/hello']
  expect(
    tagged.map(({ version_normalized }: { version_normalized: string }) => version_normalized),
  ).toEqual(['1.10.0.0', '1.0.0.0'])
  const sha1 = new Bun.CryptoHasher('sha1').update(first).digest('hex')
  expect(tagged[1]).toMatchObject({
    name: 'acme/hello',
    version: '1.0.0',
    require: { php: '>=8' },
    dist: { type: 'zip', reference: sha1, shasum: sha1 },
  })
  const file = await ask(new URL(tagged[1].dist.url).pathname.slice(base.length + 1))
  expect(Buffer.compare(await file.bytes(), first)).toBe(0)
  const [branch] = (await json('p2/acme/hello~dev.json')).packages['acme/hello']
  expect([branch.version, branch.source]).toEqual(['dev-feature/a', undefined])
  const branchFile = await ask(new URL(branch.dist.url).pathname.slice(base.length + 1))
  expect(branchFile.status).toBe(200)

  const read = await ask('p2/acme/hello.json')
  const since = read.headers.get('last-modified') ?? ''
  const again = await ask('p2/acme/hello.json', { headers: { 'if-modified-since': since } })
  expect(again.status).toBe(304)
  expect(await json('search.json?q=hello')).toMatchObject({
    total: 1,
    results: [{ name: 'acme/hello', description: 'Says hello' }],
  })
  expect(await json('list.json')).toEqual({ packageNames: ['acme/hello'] })
  const installed = [{ name: 'acme/hello', version: '1.0.0' }, { name: 'no/such', version: '1' }, 7]
  const counted = await ask('downloads', {
    method: 'POST',
    body: JSON.stringify({ downloads: installed }),
  })
  expect(counted.status).toBe(200)
})

test('a zip that is not what it says is refused', async () => {
  const { put, token, zoe, world } = await makeRepository()
  const cases: [string, Buffer, number, RegExp][] = [
    ['?version=1.0', Buffer.from('no zip'), 422, /cannot be read/],
    ['?version=1.0', await zip({ 'a/b/composer.json': '{}' }), 422, /no composer.json/],
    ['?version=1.0', await zip({ 'composer.json': '[]' }), 422, /no JSON object/],
    ['?version=1.0', await library({ name: '../evil' }), 422, /no name of a package/],
    ['?version=one', await library(), 422, /no version of Composer/],
    ['', await library(), 422, /has no version/],
    ['?version=1.0', await library({ version: '2.0' }), 422, /says version 2.0/],
    ['other/name.zip?version=1.0', await library(), 422, /says name acme\/hello/],
  ]
  for (const [path, file, status, message] of cases)
    expect(await put(path, file)).toEqual([
      status,
      { message: expect.stringMatching(message), status: 'error' },
    ])
  expect((await put('?version=1.0', await library(), null))[0]).toBe(401)
  expect((await put('?version=1.0', await library(), await token(zoe)))[0]).toBe(404)
  expect(world.hearth.db.all('SELECT id FROM packages')).toEqual([])
})

test('strangers see public packages, and are asked for a token when there is none', async () => {
  const { put, send, world, ada } = await makeRepository()
  expect((await send(`${base}/packages.json`)).status).toBe(200)
  await put('?version=1.0', await library())
  expect((await send(`${base}/packages.json`)).status).toBe(401)
  await put('?version=1.0', await library({ name: 'acme/open' }))
  const open = { workspace: 'acme', package_type: 'composer' as const, package_name: 'acme/open' }
  await world.call(updatePackage, ada, { ...open, visibility: 'public' })
  const root = await (await send(`${base}/packages.json`)).json()
  expect(root['available-packages']).toEqual(['acme/open'])
  expect((await send(`${base}/p2/acme/hello.json`)).status).toBe(401)
})
