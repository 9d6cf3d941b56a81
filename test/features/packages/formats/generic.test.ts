import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { generic } from '#features/packages/formats/generic/format.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { makeServedPackages } from '../fixture.ts'

const base = '/packages/acme/generic'

async function makeFiles() {
  const served = await makeServedPackages()
  const token = await served.token()
  const put = async (path: string, text: string, headers: Record<string, string> = {}) => {
    const body = new TextEncoder().encode(text)
    const response = await served.send(`${base}/${path}`, { method: 'PUT', body, token, headers })
    return [response.status, await response.text()] as const
  }
  const get = (path: string, init: RequestInit = {}) =>
    served.send(`${base}/${path}`, { token, ...init })
  return { ...served, token, put, get }
}

test('files are put, read in ranges, listed and deleted', async () => {
  const { put, get } = await makeFiles()
  const sha256 = new Bun.CryptoHasher('sha256').update('hello').digest('hex')
  expect((await put('tool/1.0.0/bin/tool.txt', 'hello'))[0]).toBe(201)
  expect((await put('tool/1.0.0/bin/tool.txt', 'hello', { 'x-checksum-sha256': sha256 }))[0]).toBe(
    200,
  )
  expect((await put('tool/1.0.0/notes.txt', 'notes'))[0]).toBe(201)
  expect((await put('tool/1.10.0/notes.txt', 'newer'))[0]).toBe(201)
  expect((await put('tool/1.9.0/notes.txt', 'older'))[0]).toBe(201)
  const file = await get('tool/1.0.0/bin/tool.txt')
  expect([file.headers.get('x-checksum-sha256'), await file.text()]).toEqual([sha256, 'hello'])
  const part = await get('tool/1.0.0/bin/tool.txt', { headers: { range: 'bytes=1-2' } })
  expect([part.status, await part.text()]).toEqual([206, 'el'])
  expect(await (await get('tool/latest/notes.txt')).text()).toBe('newer')
  const list = await (await get('tool')).json()
  expect(list.versions.map(({ version }: { version: string }) => version)).toEqual([
    '1.0.0',
    '1.10.0',
    '1.9.0',
  ])
  expect(list.versions[0].files[0]).toMatchObject({ path: 'bin/tool.txt', sha256 })
  expect((await get('tool/1.10.0', { method: 'DELETE' })).status).toBe(204)
  expect(await (await get('tool/latest/notes.txt')).text()).toBe('older')
})

test('a path never changes its content, and a wrong digest leaves nothing', async () => {
  const { world, ada, put, get } = await makeFiles()
  expect((await put('tool/1.0.0/a', 'a', { 'x-checksum-sha256': '0'.repeat(64) }))[0]).toBe(400)
  expect((await get('tool')).status).toBe(404)
  await put('tool/1.0.0/a', 'a')
  expect(await put('tool/1.0.0/a', 'b')).toEqual([409, expect.stringContaining('new number')])
  for (const path of ['tool/latest/a', 'tool/1.0.0/a%5Cb', 'tool/-1/a', '-tool/1.0.0/a'])
    expect([path, (await put(path, 'a'))[0]]).toEqual([path, 422])
  for (const path of ['tool/1.0.0/%2e%2e/a', 'tool/1.0.0/..%2f..%2fa'])
    expect((await put(path, 'a'))[0]).toBeGreaterThanOrEqual(400)
  const target = { workspace: 'acme', package_type: 'generic' as const, package_name: 'tool' }
  expect((await world.call(getPackage, ada, target)).version_count).toBe(1)
})

test('strangers read what is public and write nothing', async () => {
  const { world, ada, put, send } = await makeFiles()
  await put('tool/1.0.0/a', 'a')
  const stranger = (init: RequestInit = {}) => send(`${base}/tool/1.0.0/a`, init)
  expect((await stranger()).status).toBe(401)
  const target = { workspace: 'acme', package_type: 'generic' as const, package_name: 'tool' }
  await world.call(updatePackage, ada, { ...target, visibility: 'public' })
  expect(await (await stranger()).text()).toBe('a')
  expect((await stranger({ method: 'PUT', body: 'x' })).status).toBe(401)
})

test('the command to install names a file of the version as it is', () => {
  const context = { site_url: 'https://forge.example', workspace: 'acme', name: 'tool' }
  const [snippet] = generic.install({
    ...{ ...context, version: '1.0.0', artifact_type: null, isPrivate: true },
    path: "1.0.0/linux x64/it's (1).gz",
  })
  expect(snippet?.code).toEndWith(
    ' https://forge.example/packages/acme/generic/tool/1.0.0/linux%20x64/it%27s%20%281%29.gz',
  )
})
