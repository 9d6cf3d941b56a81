/** The registry as clients of container images talk to it (OCI distribution specification 1.1). */
import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { listPackageVersions } from '#features/packages/list-package-versions.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { digestOf, INDEX, makeRegistry, MANIFEST } from './registry.ts'

const target = { workspace: 'acme', package_type: 'container' as const, package_name: 'app/web' }
const code = async (response: Response): Promise<string> =>
  ((await response.json()) as { errors: { code: string }[] }).errors[0]?.code ?? ''

test('signing in: a challenge, then a token, then the registry', async () => {
  const { send, secret } = await makeRegistry()
  const ping = await send('/v2/')
  expect([ping.status, ping.headers.get('docker-distribution-api-version')]).toEqual([
    401,
    'registry/2.0',
  ])
  expect(ping.headers.get('www-authenticate')).toMatch(
    /^Bearer realm="https:\/\/hearth\.test\/v2\/token",service="hearth\.test"$/,
  )
  const basic = (password: string) => ({
    headers: { authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` },
  })
  const given = await (await send('/v2/token?service=x&scope=y', basic(secret))).json()
  expect(given).toMatchObject({ token: secret, access_token: secret })
  expect((await send('/v2/', { token: given.token })).status).toBe(200)
  const wrong = await send('/v2/token', basic('a password'))
  expect([wrong.status, await code(wrong)]).toEqual([401, 'UNAUTHORIZED'])
  expect(await (await send('/v2/token')).json()).toMatchObject({ token: 'anonymous' })
  const posted = await send('/v2/token', {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username: 'ada', password: secret }),
  })
  expect(await posted.json()).toMatchObject({ access_token: secret, refresh_token: secret })
})

test('the catalog lists what the caller sees, page by page', async () => {
  const { send, secret, image, putManifest, world, ada } = await makeRegistry()
  for (const name of ['app/web', 'app/worker']) await putManifest(name, 'latest', await image(name))
  const read = async (path: string, token?: string) => {
    const response = await send(path, token === undefined ? {} : { token })
    const { repositories } = (await response.json()) as { repositories?: string[] }
    return [response.status, repositories, response.headers.get('link')]
  }
  expect(await read('/v2/_catalog', secret)).toEqual([
    200,
    ['acme/app/web', 'acme/app/worker'],
    null,
  ])
  const next = '/v2/_catalog?n=1&last=acme%2Fapp%2Fweb'
  expect(await read('/v2/_catalog?n=1', secret)).toEqual([
    ...[200, ['acme/app/web'], `<${next}>; rel="next"`],
  ])
  expect(await read(next, secret)).toEqual([200, ['acme/app/worker'], null])
  expect((await read('/v2/_catalog'))[0]).toBe(401)
  expect(await read('/v2/_catalog', 'anonymous')).toEqual([200, [], null])
  await world.call(updatePackage, ada, { ...target, visibility: 'public' })
  expect(await read('/v2/_catalog', 'anonymous')).toEqual([200, ['acme/app/web'], null])
  const other = await send('/v2/_nothing', { token: secret })
  expect([other.status, await code(other)]).toEqual([404, 'NAME_UNKNOWN'])
})

test('an image is pushed in every way of uploading, and pulled byte for byte', async () => {
  const { ask, putManifest, image, world, ada } = await makeRegistry()
  const manifest = await image('app/web')
  // In pieces.
  const begun = await ask('app/web/blobs/uploads/', { method: 'POST' })
  expect(begun.status).toBe(202)
  const path = (begun.headers.get('location') ?? '').replace('/v2/acme/', '')
  const patch = (body: string, range: string) =>
    ask(path, { method: 'PATCH', body, headers: { 'content-range': range } })
  const first = await patch('hello ', '0-5')
  expect([first.status, first.headers.get('range')]).toEqual([202, '0-5'])
  const late = await patch('world', '9-13')
  expect([late.status, late.headers.get('range')]).toEqual([416, '0-5'])
  const standing = await ask(path)
  expect([standing.status, standing.headers.get('range')]).toEqual([204, '0-5'])
  await patch('wor', '6-8')
  const digest = digestOf('hello world')
  const ended = await ask(`${path}?digest=${digest}`, { method: 'PUT', body: 'ld' })
  expect([ended.status, ended.headers.get('docker-content-digest')]).toEqual([201, digest])
  expect((await ask(path)).status).toBe(404)

  const whole = { ...manifest, layers: [...manifest.layers, { mediaType: 'x', digest, size: 11 }] }
  const put = await putManifest('app/web', 'latest', whole)
  const ofManifest = digestOf(JSON.stringify(whole))
  expect([put.status, put.headers.get('docker-content-digest')]).toEqual([201, ofManifest])
  for (const reference of ['latest', ofManifest]) {
    const pulled = await ask(`app/web/manifests/${reference}`)
    expect([pulled.headers.get('content-type'), await pulled.text()]).toEqual([
      MANIFEST,
      JSON.stringify(whole),
    ])
  }
  const layer = await ask(`app/web/blobs/${digest}`, { headers: { range: 'bytes=6-' } })
  expect([layer.status, await layer.text()]).toEqual([206, 'world'])
  const head = await ask(`app/web/blobs/${digest}`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '11'])
  expect(await world.call(getPackage, ada, target)).toMatchObject({
    address: 'hearth.test/acme/app/web',
    latest: 'latest',
    version_count: 1,
    visibility: 'private',
  })
  expect(world.events('package.published')).toMatchObject([
    { data: { version: 'latest', digest: ofManifest, tags: ['latest'] } },
  ])
})

test('wrong digests, missing layers and broken manifests are refused, and nothing is listed', async () => {
  const { ask, putManifest, image, world, ada } = await makeRegistry()
  const manifest = await image('app/web')
  const wrong = await ask(`app/web/blobs/uploads/?digest=${digestOf('other')}`, {
    method: 'POST',
    body: 'bytes',
  })
  expect([wrong.status, await code(wrong)]).toEqual([400, 'DIGEST_INVALID'])
  const put = async (change: object, reference = 'v1', type = MANIFEST) => {
    const response = await putManifest('app/web', reference, { ...manifest, ...change }, { type })
    return [response.status, await code(response)]
  }
  const nowhere = { mediaType: 'x', digest: digestOf('nowhere'), size: 7 }
  expect(await put({ layers: [nowhere] })).toEqual([400, 'MANIFEST_BLOB_UNKNOWN'])
  expect(await put({ schemaVersion: 1 })).toEqual([400, 'MANIFEST_INVALID'])
  expect(await put({}, 'v1', INDEX)).toEqual([400, 'MANIFEST_INVALID'])
  expect(await put({}, digestOf('x'))).toEqual([400, 'DIGEST_INVALID'])
  expect(await put({ manifests: [nowhere], layers: undefined })).toEqual([400, 'MANIFEST_UNKNOWN'])
  const upper = await ask('App/blobs/uploads/', { method: 'POST' })
  expect([upper.status, await code(upper)]).toEqual([400, 'NAME_INVALID'])
  for (const path of ['app/web/manifests/v1', 'app/web/manifests/..%2f..%2fx', 'none/tags/list'])
    expect((await ask(path)).status).toBeGreaterThanOrEqual(400)
  expect((await world.call(getPackage, ada, target)).version_count).toBe(0)
})

test('an index with children is one version, a tag moves, and referrers are found', async () => {
  const { ask, putManifest, image, world, ada } = await makeRegistry()
  const child = await image('app/web')
  const childDigest = digestOf(JSON.stringify(child))
  await putManifest('app/web', childDigest, child)
  const index = {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [{ mediaType: MANIFEST, digest: childDigest, size: 1 }],
  }
  const indexDigest = digestOf(JSON.stringify(index))
  expect((await putManifest('app/web', 'v1', index, { type: INDEX })).status).toBe(201)
  const signature = {
    ...(await image('app/web', 'signature')),
    artifactType: 'application/x-signature',
    subject: { mediaType: INDEX, digest: indexDigest, size: 1 },
    annotations: { by: 'ada' },
  }
  const signed = await putManifest('app/web', digestOf(JSON.stringify(signature)), signature)
  expect(signed.headers.get('oci-subject')).toBe(indexDigest)
  const found = await (await ask(`app/web/referrers/${indexDigest}`)).json()
  expect(found).toMatchObject({
    mediaType: INDEX,
    manifests: [{ artifactType: 'application/x-signature', annotations: { by: 'ada' } }],
  })
  const unknown = await ask(`nothing/referrers/${indexDigest}`)
  expect([unknown.status, (await unknown.json()).manifests]).toEqual([200, []])
  expect((await ask(`nothing/referrers/${indexDigest}`, { token: null })).status).toBe(401)
  const filtered = await ask(`app/web/referrers/${indexDigest}?artifactType=other`)
  expect([filtered.headers.get('oci-filters-applied'), (await filtered.json()).manifests]).toEqual([
    'artifactType',
    [],
  ])
  const versions = async () =>
    (await world.call(listPackageVersions, ada, target)).items.map(({ version }) => version)
  expect(await versions()).toEqual(['v1'])
  const next = await image('app/web', 'other layer')
  await putManifest('app/web', 'v1', next)
  expect((await versions()).sort()).toEqual([indexDigest, 'v1'].sort())
  expect(await (await ask('app/web/manifests/v1')).json()).toMatchObject({ layers: next.layers })
})

test('tags are listed in pages, and tags, manifests and layers are deleted by admins', async () => {
  const { ask, putManifest, image, token, ada } = await makeRegistry()
  const manifest = await image('app/web')
  const digest = digestOf(JSON.stringify(manifest))
  for (const tag of ['b', 'a', 'B', 'c']) await putManifest('app/web', tag, manifest)
  const list = async (query: string) => {
    const response = await ask(`app/web/tags/list${query}`)
    return [(await response.json()).tags, response.headers.get('link')]
  }
  expect(await list('')).toEqual([['B', 'a', 'b', 'c'], null])
  expect(await list('?n=2')).toEqual([
    ['B', 'a'],
    '</v2/acme/app/web/tags/list?n=2&last=a>; rel="next"',
  ])
  expect(await list('?n=2&last=a')).toEqual([['b', 'c'], null])
  expect(await list('?n=0')).toEqual([[], null])
  for (const n of ['-1', 'all', '']) {
    const refused = await ask(`app/web/tags/list?n=${n}`)
    expect([refused.status, (await refused.json()).errors[0].code]).toEqual([
      400,
      'PAGINATION_NUMBER_INVALID',
    ])
  }
  const remove = (path: string, secret?: string) =>
    ask(`app/web/${path}`, { method: 'DELETE', ...(secret !== undefined && { token: secret }) })
  const writer = await token(ada, ['packages:write'])
  expect((await remove('manifests/c', writer)).status).toBe(403)
  expect((await remove('manifests/c')).status).toBe(202)
  expect((await ask('app/web/manifests/c')).status).toBe(404)
  expect((await ask(`app/web/manifests/${digest}`)).status).toBe(200)
  expect((await remove(`manifests/${digest}`)).status).toBe(202)
  for (const reference of ['a', digest]) {
    const gone = await ask(`app/web/manifests/${reference}`)
    expect([gone.status, await code(gone)]).toEqual([404, 'MANIFEST_UNKNOWN'])
  }
  // Pushed again, it is there again.
  expect((await putManifest('app/web', 'a', manifest)).status).toBe(201)
  expect((await ask('app/web/manifests/a')).status).toBe(200)
  const [layer] = manifest.layers
  expect((await remove(`blobs/${layer?.digest}`)).status).toBe(202)
  expect((await ask(`app/web/blobs/${layer?.digest}`)).status).toBe(404)
})

test('a layer is mounted only from where the caller may read it', async () => {
  const { ask, image, token, world, ada, mel } = await makeRegistry()
  const { layers } = await image('app/web')
  const digest = layers[0]?.digest ?? ''
  const mount = (from: string, secret?: string) =>
    ask(`copy/blobs/uploads/?mount=${digest}${from}`, {
      method: 'POST',
      ...(secret !== undefined && { token: secret }),
    })
  const melToken = await token(mel)
  for (const from of ['&from=acme/app/web', ''])
    expect((await mount(from, melToken)).status).toBe(202)
  expect((await ask(`copy/blobs/${digest}`)).status).toBe(404)
  expect((await mount('')).status).toBe(201)
  expect((await ask(`copy/blobs/${digest}`)).status).toBe(200)
  await world.call(updatePackage, ada, { ...target, visibility: 'public' })
  expect((await ask(`app/web/blobs/${digest}`, { token: null })).status).toBe(200)
})

test('strangers are asked for a token for the referrers of what they cannot see', async () => {
  const { ask } = await makeRegistry()
  const response = await ask(`nothing/referrers/${digestOf('x')}`, { token: null })
  expect([response.status, response.headers.has('www-authenticate')]).toEqual([401, true])
})

test('ten layers at once into a new name', async () => {
  const { ask, pushBlob } = await makeRegistry()
  const digests = await Promise.all(
    Array.from({ length: 10 }, (_, at) => pushBlob('many', `layer ${at}`)),
  )
  for (const digest of digests) expect((await ask(`many/blobs/${digest}`)).status).toBe(200)
})

test('a private image tells strangers nothing, and an upload belongs to who began it', async () => {
  const { ask, putManifest, image, token, zoe, mel } = await makeRegistry()
  await putManifest('app/web', 'v1', await image('app/web'))
  const answers = await Promise.all(
    ['app/web/manifests/v1', 'nothing/manifests/v1', 'app/web/tags/list'].map(async (path) => {
      const response = await ask(path, { token: null })
      return [response.status, await response.text()]
    }),
  )
  expect(new Set(answers.map(String)).size).toBe(1)
  expect(answers[0]?.[0]).toBe(401)
  const stranger = await token(zoe)
  for (const path of ['app/web/manifests/v1', 'nothing/manifests/v1'])
    expect((await ask(path, { token: stranger })).status).toBe(404)
  expect((await ask('app/web/blobs/uploads/', { method: 'POST', token: null })).status).toBe(401)
  const begun = await ask('app/other/blobs/uploads/', { method: 'POST' })
  const path = (begun.headers.get('location') ?? '').replace('/v2/acme/', '')
  const other = await ask(path, { method: 'PATCH', body: 'x', token: await token(mel) })
  expect(other.status).toBe(404)
})

test('strangers hear 404 for what a public image lacks, also beside a private one', async () => {
  const { ask, world, ada, putManifest, image } = await makeRegistry()
  await putManifest('open', 'v1', await image('open'))
  await putManifest('closed', 'v1', await image('closed'))
  await world.call(updatePackage, ada, {
    workspace: 'acme',
    package_type: 'container',
    package_name: 'open',
    visibility: 'public',
  })
  const status = async (path: string): Promise<number> => (await ask(path, { token: null })).status
  expect(await status('open/manifests/v1')).toBe(200)
  expect(await status('open/manifests/v2')).toBe(404)
  expect(await status(`open/blobs/${digestOf('nothing')}`)).toBe(404)
  for (const name of ['closed', 'nothing'])
    for (const path of ['manifests/v1', 'tags/list', `blobs/${digestOf('layer')}`])
      expect([name, path, await status(`${name}/${path}`)]).toEqual([name, path, 401])
})
