/** The registry as npm, pnpm, yarn and bun talk to it: their requests, word for word. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { updatePackage } from '#features/packages/update-package.ts'
import { makeServedPackages, npm, npmTarball, tarEntry } from '../../fixture.ts'

const base = '/packages/acme/npm'

const publishBody = (
  manifest: { name: string; version: string } & Record<string, unknown>,
  change: { tarball?: Buffer; tag?: string; dist?: object } = {},
) => {
  const tarball = change.tarball ?? npmTarball(manifest)
  const file = `${manifest.name}-${manifest.version}.tgz`
  return JSON.stringify({
    _id: manifest.name,
    name: manifest.name,
    'dist-tags': { [change.tag ?? 'latest']: manifest.version },
    versions: {
      [manifest.version]: {
        ...manifest,
        readme: '# Read me',
        dist: change.dist ?? {
          integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
          shasum: createHash('sha1').update(tarball).digest('hex'),
        },
      },
    },
    access: null,
    _attachments: {
      [file]: {
        content_type: 'application/octet-stream',
        data: tarball.toString('base64'),
        length: tarball.length,
      },
    },
  })
}

const lib = {
  name: '@acme/lib',
  version: '1.0.0',
  bin: { lib: 'cli.js' },
  description: 'A library',
}
const put = (body: string, token: string) => ({ method: 'PUT', body, token })

test('publish, read, download, and the same again', async () => {
  const { send, token } = await makeServedPackages()
  const secret = await token()
  const tarball = npmTarball(lib, { 'cli.js': 'x'.repeat(70_000) })
  const body = publishBody(lib, { tarball })
  const first = await send(`${base}/@acme%2flib`, put(body, secret))
  expect([first.status, await first.json()]).toMatchObject([201, { ok: true }])
  expect((await send(`${base}/@acme%2flib`, put(body, secret))).status).toBe(200)
  const other = publishBody(lib)
  const refused = await send(`${base}/@acme%2flib`, put(other, secret))
  expect([refused.status, (await refused.json()).error]).toEqual([
    409,
    '@acme/lib 1.0.0 exists with other content: use a new number',
  ])

  const slim = await send(`${base}/@acme%2Flib`, {
    token: secret,
    headers: { accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8' },
  })
  expect(slim.headers.get('content-type')).toBe('application/vnd.npm.install-v1+json')
  const packument = await slim.json()
  const { dist } = packument.versions['1.0.0']
  expect(packument).toMatchObject({
    name: '@acme/lib',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { bin: { lib: 'cli.js' } } },
  })
  expect(packument.versions['1.0.0'].description).toBeUndefined()
  expect(dist.integrity).toBe(`sha512-${createHash('sha512').update(tarball).digest('base64')}`)

  const path = `${base}/@acme/lib/-/lib-1.0.0.tgz`
  expect(dist.tarball).toEndWith(path)
  const file = await send(path, { token: secret })
  expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from(tarball))
  const part = await send(path, { token: secret, headers: { range: 'bytes=10-19' } })
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([
    206,
    Buffer.from(tarball.subarray(10, 20)),
  ])

  const full = await send(`${base}/@acme/lib`, { token: secret })
  expect(await full.json()).toMatchObject({
    description: 'A library',
    time: { '1.0.0': expect.any(String) },
  })
  const etag = full.headers.get('etag') ?? ''
  const known = await send(`${base}/@acme/lib`, {
    token: secret,
    headers: { 'if-none-match': etag },
  })
  expect(known.status).toBe(304)
})

test('what is not what it says is refused, and nothing is listed', async () => {
  const { send, token, world } = await makeServedPackages()
  const secret = await token()
  const publish = (body: string) => send(`${base}/@acme%2flib`, put(body, secret))
  const bodies: [string, number, RegExp][] = [
    [publishBody(lib, { tarball: npmTarball({ ...lib, version: '6.6.6' }) }), 422, /package.json/],
    [publishBody(lib, { tarball: npmTarball({ ...lib, name: 'evil' }) }), 422, /package.json/],
    [publishBody(lib, { tarball: Buffer.from('no gzip') }), 422, /cannot be read/],
    [publishBody(lib, { dist: { integrity: 'sha512-AAAA' } }), 400, /digest/],
    [publishBody({ ...lib, name: 'other' }), 422, /the address says/],
    [publishBody({ ...lib, version: 'one' }), 422, /is not a version/],
    [publishBody(lib, { tag: '1.x' }), 422, /cannot be a tag/],
    [publishBody(lib).slice(0, 300), 400, /ended|not valid JSON/],
    ['[]', 400, /not a JSON object/],
  ]
  for (const [body, status, message] of bodies) {
    const response = await publish(body)
    expect([response.status, (await response.json()).error]).toEqual([
      status,
      expect.stringMatching(message),
    ])
  }
  expect(world.hearth.db.all('SELECT id FROM packages')).toEqual([])
})

test('an archive that unpacks to far more than its size is refused', async () => {
  const { send, token } = await makeServedPackages()
  const bomb = npmTarball(lib, { zeros: '\0'.repeat(20 * 1024 ** 2) })
  const response = await send(
    `${base}/@acme%2flib`,
    put(publishBody(lib, { tarball: bomb }), await token()),
  )
  expect([response.status, (await response.json()).error]).toEqual([
    422,
    expect.stringContaining('unpacks to more than'),
  ])
})

test('strangers hear one answer for every name; a bad token is 401 everywhere', async () => {
  const { send, token, world, ada } = await makeServedPackages()
  const missing = () => send(`${base}/nothing`)
  expect((await missing()).status).toBe(404)
  await send(`${base}/@acme%2flib`, put(publishBody(lib), await token()))
  const answers = await Promise.all(
    ['nothing', '@acme%2flib', '@acme/lib/1.0.0', '@acme/lib/-/lib-1.0.0.tgz'].map(async (path) => {
      const response = await send(`${base}/${path}`)
      return [response.status, await response.text(), response.headers.get('www-authenticate')]
    }),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]?.[0]).toBe(401)
  await world.call(updatePackage, ada, { ...npm('@acme/lib'), visibility: 'public' })
  expect((await send(`${base}/@acme%2flib`)).status).toBe(200)
  expect((await missing()).status).toBe(404)
  expect((await send(`${base}/@acme%2flib`, { token: 'hthu_wrong' })).status).toBe(401)
})

test('a stranger may not publish, and a reader may not either', async () => {
  const { send, token, zoe } = await makeServedPackages()
  expect(
    (await send(`${base}/@acme%2flib`, { method: 'PUT', body: publishBody(lib) })).status,
  ).toBe(401)
  const stranger = await send(`${base}/@acme%2flib`, put(publishBody(lib), await token(zoe)))
  expect(stranger.status).toBe(404)
  const reader = await token(zoe, ['packages:read'])
  expect((await send(`${base}/@acme%2flib`, put(publishBody(lib), reader))).status).toBe(404)
})

test('dist-tags, deprecate and unpublish', async () => {
  const { send, token, ada } = await makeServedPackages()
  const secret = await token()
  for (const version of ['1.0.0', '1.1.0', '2.0.0'])
    await send(`${base}/@acme%2flib`, put(publishBody({ ...lib, version }), secret))
  const tags = `${base}/-/package/@acme%2flib/dist-tags`
  expect((await send(`${tags}/stable`, put('"1.1.0"', secret))).status).toBe(201)
  expect(await (await send(tags, { token: secret })).json()).toEqual({
    latest: '2.0.0',
    stable: '1.1.0',
  })
  expect((await send(`${tags}/latest`, { method: 'DELETE', token: secret })).status).toBe(403)
  expect((await send(`${tags}/stable`, { method: 'DELETE', token: secret })).status).toBe(200)

  const read = async () => (await send(`${base}/@acme%2flib?write=true`, { token: secret })).json()
  const document = await read()
  document.versions['1.0.0'].deprecated = 'use 2'
  const writer = await token(ada, ['packages:write'])
  expect((await send(`${base}/@acme%2flib`, put(JSON.stringify(document), writer))).status).toBe(
    200,
  )
  expect((await read()).versions['1.0.0'].deprecated).toBe('use 2')
  // The document is old by now.
  delete document.versions['1.1.0']
  const rev = `${base}/@acme%2flib/-rev/${document._rev}`
  expect((await send(rev, put(JSON.stringify(document), secret))).status).toBe(409)

  const fresh = await read()
  delete fresh.versions['1.1.0']
  const freshRev = `${base}/@acme%2flib/-rev/${fresh._rev}`
  expect((await send(freshRev, put(JSON.stringify(fresh), writer))).status).toBe(403)
  expect((await send(freshRev, put(JSON.stringify(fresh), secret))).status).toBe(200)
  const file = `${base}/@acme/lib/-/lib-1.1.0.tgz`
  expect((await send(`${file}/-rev/x`, { method: 'DELETE', token: secret })).status).toBe(200)
  expect((await send(file, { token: secret })).status).toBe(404)
  expect(Object.keys((await read()).versions)).toEqual(['1.0.0', '2.0.0'])
  expect(
    (await send(`${base}/@acme%2flib/-rev/x`, { method: 'DELETE', token: secret })).status,
  ).toBe(200)
  expect((await send(`${base}/@acme%2flib`, { token: secret })).status).toBe(404)
})

test('npm owner and npm star hear at once where that is done: npm repeats what is answered with 5xx', async () => {
  const { send, token } = await makeServedPackages()
  const secret = await token()
  await send(`${base}/@acme%2flib`, put(publishBody({ ...lib, version: '1.0.0' }), secret))
  const change = async (document: object) => {
    const body = JSON.stringify({ _id: '@acme/lib', _rev: '1', ...document })
    const answer = await send(`${base}/@acme%2flib/-rev/1`, put(body, secret))
    return [answer.status, (await answer.json()).error]
  }
  expect(await change({ maintainers: [{ name: 'bob' }] })).toEqual([
    403,
    'who may publish @acme/lib is set on its page: open @acme/lib under Packages of the workspace acme',
  ])
  expect(await change({ users: { ada: true } })).toEqual([
    403,
    'packages have no stars here: star the repository',
  ])
})

test('ping, whoami, search, audit and the sign-in with a token', async () => {
  const { send, token } = await makeServedPackages()
  const secret = await token()
  await send(`${base}/@acme%2flib`, put(publishBody(lib), secret))
  expect(await (await send(`${base}/-/ping`)).json()).toEqual({})
  expect(await (await send(`${base}/-/whoami`, { token: secret })).json()).toEqual({
    username: 'ada',
  })
  expect((await send(`${base}/-/whoami`)).status).toBe(401)
  const found = await (await send(`${base}/-/v1/search?text=LIB&size=5`, { token: secret })).json()
  expect(found).toMatchObject({
    total: 1,
    objects: [{ package: { name: '@acme/lib', version: '1.0.0' } }],
  })
  expect(await (await send(`${base}/-/v1/search?text=lib`)).json()).toMatchObject({ total: 0 })
  const bulk = await send(`${base}/-/npm/v1/security/advisories/bulk`, {
    method: 'POST',
    body: Bun.gzipSync(Buffer.from('{"@acme/lib":["1.0.0"]}')),
    headers: { 'content-encoding': 'gzip' },
  })
  expect(await bulk.json()).toEqual({})
  const login = (password: string) =>
    send(`${base}/-/user/org.couchdb.user:ada`, {
      method: 'PUT',
      body: JSON.stringify({ name: 'ada', password }),
    })
  expect(await (await login(secret)).json()).toMatchObject({ ok: true, token: secret })
  expect((await login('a password')).status).toBe(401)
  const web = await send(`${base}/-/v1/login`, { method: 'POST', body: '{}' })
  const { loginUrl, doneUrl } = await web.json()
  expect(loginUrl).toContain('/device?code=')
  const waiting = await send(new URL(doneUrl).pathname)
  expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([202, '3'])
})

test('addresses that try paths name nothing', async () => {
  const { send, token } = await makeServedPackages()
  const secret = await token()
  await send(`${base}/@acme%2flib`, put(publishBody(lib), secret))
  for (const path of [
    '/@acme/lib/-/..%2f..%2f..%2fhearth.db',
    '/..%2f..%2fhearth.db',
    '/%2e%2e/%2e%2e/hearth.db',
    '/@acme/lib/-/',
  ])
    expect((await send(base + path, { token: secret })).status).toBe(404)
  expect((await send(`${base}/%zz`, { token: secret })).status).toBe(400)
})

test('a package.json of brackets is refused', async () => {
  const { send, token } = await makeServedPackages()
  const depth = 200_000
  const text = `{"name":${'['.repeat(depth)}${']'.repeat(depth)},"version":"1.0.0"}`
  const tarball = gzipSync(tarEntry('package/package.json', text))
  const refused = await send(
    `${base}/@acme%2flib`,
    put(publishBody(lib, { tarball }), await token()),
  )
  expect([refused.status, (await refused.json()).error]).toEqual([
    422,
    'the tarball cannot be read: its package.json is nested too deeply or has too many values',
  ])
})
