/** The registry as cargo talks to it: its requests, word for word. */
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { updatePackage } from '#features/packages/update-package.ts'
import { makeServedPackages } from '../fixture.ts'
import { crateUpload, tar } from './archives.ts'

const base = '/packages/acme/cargo'

async function makeRegistry() {
  const served = await makeServedPackages()
  const secret = await served.token()
  /** Cargo sends its token without a scheme. */
  const ask = (path: string, init: RequestInit = {}, token: string | null = secret) =>
    served.send(`${base}/${path}`, {
      ...init,
      headers: { ...(token !== null && { authorization: token }), ...init.headers },
    })
  const publish = (body: Buffer, token: string | null = secret) =>
    ask('api/v1/crates/new', { method: 'PUT', body: new Uint8Array(body) }, token)
  return { ...served, secret, ask, publish }
}

const detailOf = async (response: Response): Promise<[number, string]> => {
  const { errors } = (await response.json()) as { errors: { detail: string }[] }
  return [response.status, errors[0]?.detail ?? '']
}

test('publish, index, download, yank and search', async () => {
  const { ask, publish } = await makeRegistry()
  const features = { plain: ['std'], extra: ['dep:rand', 'serde?/std'] }
  const deps = [
    {
      name: 'rand',
      version_req: '^0.8',
      optional: true,
      kind: 'normal',
      explicit_name_in_toml: 'dice',
    },
  ]
  const body = crateUpload('Foo-Bar', '1.0.0', { metadata: { features, deps } })
  const first = await publish(body)
  expect([first.status, await first.json()]).toEqual([
    200,
    { warnings: { invalid_categories: [], invalid_badges: [], other: [] } },
  ])
  expect((await publish(body)).status).toBe(200)
  const other = crateUpload('Foo-Bar', '1.0.0', {
    manifest: '[package]\nname = "Foo-Bar"\nversion = "1.0.0"\nedition = "2021"\n',
  })
  expect(await detailOf(await publish(other))).toEqual([
    409,
    'Foo-Bar 1.0.0 exists with other content: use a new number',
  ])
  await publish(crateUpload('Foo-Bar', '1.10.0'))

  const index = await ask('fo/o-/foo-bar')
  const lines = (await index.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ vers, yanked }) => [vers, yanked])).toEqual([
    ['1.0.0', false],
    ['1.10.0', false],
  ])
  expect(lines[0]).toMatchObject({
    name: 'Foo-Bar',
    features: { plain: ['std'] },
    features2: { extra: ['dep:rand', 'serde?/std'] },
    v: 2,
    deps: [{ name: 'dice', package: 'rand', req: '^0.8', optional: true, default_features: true }],
  })
  const etag = index.headers.get('etag') ?? ''
  expect((await ask('fo/o-/foo-bar', { headers: { 'if-none-match': etag } })).status).toBe(304)

  const file = await ask('api/v1/crates/Foo-Bar/1.0.0/download')
  const sum = new Bun.CryptoHasher('sha256').update(await file.bytes()).digest('hex')
  expect(sum).toBe(lines[0].cksum)

  const yank = 'api/v1/crates/Foo-Bar/1.10.0'
  expect(await (await ask(`${yank}/yank`, { method: 'DELETE' })).json()).toEqual({ ok: true })
  expect(await (await ask('fo/o-/foo-bar')).text()).toContain('"vers":"1.10.0"')
  expect(await (await ask('fo/o-/foo-bar')).text()).toContain('"yanked":true')
  await ask(`${yank}/unyank`, { method: 'PUT' })
  expect(await (await ask('fo/o-/foo-bar')).text()).not.toContain('"yanked":true')
  expect(await (await ask('api/v1/crates?q=foo&per_page=10')).json()).toEqual({
    crates: [{ name: 'Foo-Bar', max_version: '1.10.0', description: 'Says hello' }],
    meta: { total: 1 },
  })
})

test('a crate that is not what it says is refused, and nothing is listed', async () => {
  const { publish, world } = await makeRegistry()
  const short = crateUpload('lib', '1.0.0').subarray(0, 20)
  const link = Buffer.from(tar({ 'lib-1.0.0/Cargo.toml': 'x' }))
  link.write('2', 156)
  const metadata = Buffer.from(JSON.stringify({ name: 'lib', vers: '1.0.0', deps: [] }))
  const envelope = (crate: Buffer): Buffer => {
    const lengths = [metadata.length, crate.length].map((length) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(length)
      return bytes
    })
    return Buffer.concat([lengths[0] ?? short, metadata, lengths[1] ?? short, crate])
  }
  const cases: [Buffer, number, RegExp][] = [
    [
      crateUpload('lib', '1.0.0', { manifest: '[package]\nname = "evil"\n' }),
      422,
      /another version/,
    ],
    [crateUpload('lib', '1.0.0', { manifest: '[package' }), 422, /Cargo.toml cannot be read/],
    [crateUpload('lib', '1.0'), 422, /no semantic version/],
    [crateUpload('../lib', '1.0.0'), 422, /no name of a crate/],
    [crateUpload('lib', '1.0.0', { metadata: { deps: {} } }), 422, /not as cargo sends it/],
    [short, 400, /not as cargo publish sends it/],
    [envelope(gzipSync(link)), 422, /has no lib-1.0.0.Cargo.toml/],
    [envelope(Buffer.from('no gzip')), 422, /cannot be read/],
    [
      envelope(gzipSync(Buffer.alloc(80 * 1024 ** 2))),
      422,
      /no lib-1.0.0.Cargo.toml|unpacks to more/,
    ],
  ]
  for (const [body, status, message] of cases)
    expect(await detailOf(await publish(body))).toEqual([status, expect.stringMatching(message)])
  expect(world.hearth.db.all('SELECT id FROM packages')).toEqual([])
})

test('a private crate makes the whole index ask for a token', async () => {
  const { ask, publish, token, zoe, world, ada } = await makeRegistry()
  expect(await (await ask('config.json', {}, null)).json()).toEqual({
    dl: expect.stringMatching(/\/packages\/acme\/cargo\/api\/v1\/crates$/),
    api: expect.stringMatching(/\/packages\/acme\/cargo$/),
  })
  expect((await publish(crateUpload('lib', '1.0.0'), null)).status).toBe(401)
  const stranger = await token(zoe)
  expect((await publish(crateUpload('lib', '1.0.0'), stranger)).status).toBe(404)
  await publish(crateUpload('lib', '1.0.0'))

  const config = await ask('config.json', {}, null)
  expect([config.status, config.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringMatching(/^Cargo login_url="http.*\/settings\/tokens"$/),
  ])
  expect(await (await ask('config.json')).json()).toMatchObject({ 'auth-required': true })
  const paths = ['3/l/lib', '3/n/nil', 'api/v1/crates/lib/1.0.0/download']
  for (const path of paths) {
    expect([path, (await ask(path, {}, null)).status]).toEqual([path, 401])
    expect([path, (await ask(path, {}, stranger)).status]).toEqual([path, 404])
  }
  const reader = await token(ada, ['packages:read'])
  expect((await ask('3/l/lib', {}, reader)).status).toBe(200)
  expect((await publish(crateUpload('lib', '1.1.0'), reader)).status).toBe(403)
  const cargo = { workspace: 'acme', package_type: 'cargo' as const, package_name: 'lib' }
  await world.call(updatePackage, ada, { ...cargo, visibility: 'public' })
  expect((await ask('3/l/lib', {}, null)).status).toBe(200)
  expect((await ask('config.json', {}, null)).status).toBe(200)
})

test('foo_bar is foo-bar, and other addresses are 404', async () => {
  const { ask, publish } = await makeRegistry()
  await publish(crateUpload('foo-bar', '1.0.0'))
  expect((await publish(crateUpload('foo_bar', '1.0.0'))).status).toBe(409)
  const paths = ['fo/o-/foo-bar/x', 'x/foo-bar', '', 'api/v1/crates/foo-bar', '..%2f..%2fetc']
  for (const path of paths) expect([path, (await ask(path)).status]).toEqual([path, 404])
  expect((await ask('%E0%A4%A')).status).toBe(400)
  expect((await ask('me')).headers.get('location')).toMatch(/\/settings\/tokens$/)
})

test('a version under another spelling, which cargo would not find, is refused', async () => {
  const { ask, publish } = await makeRegistry()
  await publish(crateUpload('foo_bar', '1.0.0'))
  for (const name of ['foo-bar', 'Foo_Bar'])
    expect(await detailOf(await publish(crateUpload(name, '1.1.0')))).toEqual([
      409,
      `the package is called foo_bar, not ${name}: use that name`,
    ])
  expect(await (await ask('fo/o_/foo_bar')).text()).not.toContain('1.1.0')
})

test('cargo owner lists, adds and removes admins', async () => {
  const { ask, publish } = await makeRegistry()
  await publish(crateUpload('lib', '1.0.0'))
  const owners = 'api/v1/crates/lib/owners'
  const send = async (method: string, user: string) => {
    const response = await ask(owners, { method, body: JSON.stringify({ users: [user] }) })
    return [response.status, await response.json()]
  }
  const logins = async () =>
    (await (await ask(owners)).json()).users.map(({ login }: { login: string }) => login)
  expect(await send('PUT', 'mel')).toEqual([200, { ok: true, msg: 'mel: owners now' }])
  expect(await logins()).toEqual(['ada', 'mel'])
  expect((await send('PUT', 'zoe'))[0]).toBe(422)
  expect((await send('DELETE', 'mel'))[0]).toBe(200)
  expect(await logins()).toEqual(['ada'])
  expect((await ask(owners, {}, null)).status).toBe(401)
})
