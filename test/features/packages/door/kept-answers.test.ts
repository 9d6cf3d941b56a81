/** Answers that doors keep: they hold for the same reader, until anything changes. */
import { expect, test } from 'bun:test'
import { revokeToken } from '#features/accounts/tokens/revoke-token.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { restorePackageVersion } from '#features/packages/restore-package-version.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { makeServedPackages, npm } from '../fixture.ts'

const packument = '/packages/acme/npm/lib'
const tarball = `${packument}/-/lib-1.0.0.tgz`

test('what was kept for one reader is told to no other, and to none after the right ended', async () => {
  const { world, ada, zoe, token, send, publish } = await makeServedPackages()
  await publish('lib', '1.0.0')
  const made = await world.call(createToken, ada, { name: 'ci', scopes: ['packages:read'] })
  const secret = made.secret ?? ''
  const stranger = await token(zoe)
  for (const path of [packument, tarball]) {
    for (let round = 0; round < 2; round++)
      expect((await send(path, { token: secret })).status).toBe(200)
    expect((await send(path, { token: stranger })).status).toBe(404)
    expect((await send(path)).status).toBe(401)
  }
  await world.call(updatePackage, ada, { ...npm('lib'), visibility: 'public' })
  expect((await send(tarball)).status).toBe(200)
  expect((await send(tarball)).status).toBe(200)
  await world.call(updatePackage, ada, { ...npm('lib'), visibility: 'private' })
  expect((await send(tarball)).status).toBe(401)
  expect((await send(tarball, { token: secret })).status).toBe(200)
  await world.call(revokeToken, ada, { id: made.id })
  for (const path of [packument, tarball])
    expect((await send(path, { token: secret })).status).toBe(401)
})

test('a version that is published, deleted or restored shows at once', async () => {
  const { world, ada, token, send, publish } = await makeServedPackages()
  const secret = await token()
  const versions = async () => {
    const response = await send(packument, { token: secret })
    return Object.keys(((await response.json()) as { versions: object }).versions)
  }
  const status = async () => (await send(tarball, { token: secret })).status
  await publish('lib', '1.0.0')
  for (let round = 0; round < 2; round++)
    expect([await versions(), await status()]).toEqual([['1.0.0'], 200])
  await publish('lib', '1.1.0')
  expect(await versions()).toEqual(['1.0.0', '1.1.0'])
  await world.call(deletePackageVersion, ada, { ...npm('lib'), version: '1.0.0' })
  expect([await versions(), await status()]).toEqual([['1.1.0'], 404])
  await world.call(restorePackageVersion, ada, { ...npm('lib'), version: '1.0.0' })
  expect([await versions(), await status()]).toEqual([['1.0.0', '1.1.0'], 200])
})

test('each reader gets the form, the range and the condition that it asks for', async () => {
  const { token, send, publish } = await makeServedPackages()
  const text = 'abcdefghij'.repeat(10_000)
  await publish('lib', '1.0.0', { text: text.slice(0, 100) })
  await publish('lib', '2.0.0', { text })
  const secret = await token()
  const slim = { accept: 'application/vnd.npm.install-v1+json' }
  for (let round = 0; round < 2; round++) {
    const type = async (headers: Record<string, string>) =>
      (await send(packument, { token: secret, headers })).headers.get('content-type')
    expect(await type(slim)).toBe(slim.accept)
    expect(await type({})).toBe('application/json')
    for (const [path, bytes] of [
      [tarball, text.slice(0, 100)],
      [`${packument}/-/lib-2.0.0.tgz`, text],
    ] as const) {
      const whole = await send(path, { token: secret })
      expect(await whole.text()).toBe(bytes)
      const part = await send(path, { token: secret, headers: { range: 'bytes=10-19' } })
      expect([part.status, await part.text()]).toEqual([206, bytes.slice(10, 20)])
      const etag = whole.headers.get('etag') ?? ''
      const again = await send(path, { token: secret, headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const outside = { range: `bytes=${bytes.length}-` }
      expect((await send(path, { token: secret, headers: outside })).status).toBe(416)
      const head = await send(path, { token: secret, method: 'HEAD' })
      expect(head.headers.get('content-length')).toBe(String(bytes.length))
    }
  }
})

test('answers with a kept document have the encoding and the id of their own request', async () => {
  const { token, send, publish } = await makeServedPackages()
  await publish('lib', '1.0.0')
  const secret = await token()
  const read = (id: string, encoding: string, method = 'GET') => {
    const headers = { 'x-request-id': id, 'accept-encoding': encoding }
    return send(packument, { token: secret, headers, method, decompress: false } as RequestInit)
  }
  const plain = await (await read('request-0', 'identity')).bytes()
  for (let round = 1; round < 4; round++)
    for (const encoding of ['gzip', 'identity']) {
      const id = `request-${round}-${encoding}`
      const response = await read(id, encoding)
      expect(response.headers.get('x-request-id')).toBe(id)
      expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
      const bytes = await response.bytes()
      expect(encoding === 'gzip' ? Bun.gunzipSync(bytes) : bytes).toEqual(plain)
      const head = await read(id, encoding, 'HEAD')
      expect(head.headers.get('content-length')).toBe(String(bytes.length))
    }
})

test('every download counts, and looking and going on in the middle do not', async () => {
  const { world, ada, token, send, publish } = await makeServedPackages()
  await publish('lib', '1.0.0')
  const secret = await token()
  const middle = { headers: { range: 'bytes=2-' } }
  for (const init of [{}, { method: 'HEAD' }, middle, {}, {}, middle, { method: 'HEAD' }])
    await (await send(tarball, { token: secret, ...init })).arrayBuffer()
  expect((await world.call(getPackage, ada, npm('lib'))).download_count).toBe(3)
})
