/** The index as pip, uv and twine talk to it: their requests, word for word. */
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { markPackageVersion } from '#features/packages/mark-package-version.ts'
import { readPackageDetails } from '#features/packages/read-package-details.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { makeServedPackages } from '../fixture.ts'
import { tar, zip } from './archives.ts'

const base = '/packages/acme/pypi'
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json'

const metadata = (name: string, version: string, rest = ''): string =>
  `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\nSummary: Says hello\nRequires-Python: >=3.8\nRequires-Dist: idna (>=3)\nRequires-Dist: six; extra == 'old'\n${rest}\n# Hello <b>\n`

const wheel = (name: string, version: string, rest = '') =>
  zip({
    [`${name}/__init__.py`]: '',
    [`${name}-${version}.dist-info/METADATA`]: metadata(name, version, rest),
  })

const sdist = (name: string, version: string): Buffer =>
  gzipSync(
    tar({
      [`${name}-${version}/src/deep/PKG-INFO`]: metadata('wrong', '9'),
      [`${name}-${version}/PKG-INFO`]: metadata(name, version),
    }),
  )

async function makeIndex() {
  const served = await makeServedPackages()
  const secret = await served.token()
  const headers = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Basic ${btoa(`__token__:${token}`)}` }
  const upload = async (
    file: string,
    bytes: Buffer,
    fields: Record<string, string> = {},
    token: string | null = secret,
  ): Promise<[status: number, text: string]> => {
    const form = new FormData()
    const all = { ':action': 'file_upload', protocol_version: '1', ...fields }
    for (const [name, value] of Object.entries(all)) form.set(name, value)
    form.set('content', new Blob([new Uint8Array(bytes)]), file)
    const response = await served.send(`${base}/`, {
      method: 'POST',
      body: form,
      headers: headers(token),
    })
    return [response.status, await response.text()]
  }
  const ask = (path: string, accept = JSON_TYPE, token: string | null = secret) =>
    served.send(`${base}/${path}`, { headers: { accept, ...headers(token) } })
  const json = async (path: string) => (await ask(path)).json()
  return { ...served, upload, ask, json }
}

test('a wheel and an sdist make one version, with digests, metadata and README', async () => {
  const { world, ada, upload, ask, json } = await makeIndex()
  const bytes = await wheel('my_lib', '1.0')
  const file = 'my_lib-1.0-py3-none-any.whl'
  expect(await upload(file, bytes, { name: 'My.Lib', version: '1.0' })).toEqual([200, ''])
  expect((await upload(file, bytes))[0]).toBe(200)
  expect((await upload('my_lib-1.0.tar.gz', sdist('my_lib', '1.0')))[0]).toBe(200)
  await upload('my_lib-1.1rc1-py3-none-any.whl', await wheel('my_lib', '1.1rc1'))
  const index = await json('simple/my-lib/')
  expect(index).toMatchObject({
    meta: { 'api-version': '1.1' },
    name: 'my-lib',
    versions: ['1.0', '1.1rc1'],
  })
  const [first, source] = index.files
  expect(index.files).toHaveLength(3)
  expect(first).toMatchObject({ filename: file, 'requires-python': '>=3.8', size: bytes.length })
  expect(source['core-metadata']).toBe(false)
  const download = async (url: string) =>
    Buffer.from(await (await ask(url.slice(url.indexOf(base) + base.length + 1))).arrayBuffer())
  expect((await download(first.url)).equals(bytes)).toBe(true)
  const core = await download(`${first.url}.metadata`)
  expect(core.toString()).toBe(metadata('my_lib', '1.0'))
  const sum = new Bun.CryptoHasher('sha256').update(core).digest('hex')
  expect(first['core-metadata']).toEqual({ sha256: sum })
  expect((await json('simple/')).projects).toEqual([{ name: 'my-lib' }])
  const target = { workspace: 'acme', package_type: 'pypi' as const, package_name: 'my_lib' }
  expect((await world.call(readPackageDetails, ada, target)).readme).toBe('# Hello <b>\n')
})

test('the HTML form says the same, escaped, and names lead to one address', async () => {
  const { world, ada, upload, ask } = await makeIndex()
  await upload('hello-1.0-py3-none-any.whl', await wheel('hello', '1.0'))
  const target = { workspace: 'acme', package_type: 'pypi' as const, package_name: 'hello' }
  await world.call(markPackageVersion, ada, { ...target, version: '1.0.0', yanked: true })
  const page = await ask('simple/hello/', 'text/html')
  expect(page.headers.get('content-security-policy')).toBe("default-src 'none'")
  const html = await page.text()
  expect(html).toMatch(/href="[^"]+\/pypi\/files\/hello\/hello-1\.0-py3-none-any\.whl#sha256=/)
  expect(html).toContain('data-requires-python="&gt;=3.8"')
  expect(html).toMatch(/data-core-metadata="sha256=[0-9a-f]{64}"/)
  expect(html).toContain('data-yanked=""')
  const moved = await ask('simple/Hel.lo/')
  expect([moved.status, moved.headers.get('location')]).toEqual([
    308,
    expect.stringContaining('/pypi/simple/hel-lo/'),
  ])
  expect(await (await ask('simple/', 'text/html')).text()).toContain('<a href="hello/">hello</a>')
})

test('what does not agree is refused, and leaves nothing behind', async () => {
  const { upload, json, ask } = await makeIndex()
  const bytes = await wheel('hello', '1.0')
  const file = 'hello-1.0-py3-none-any.whl'
  const refused: [string, Buffer, Record<string, string>, RegExp][] = [
    [file, bytes, { name: 'other' }, /holds hello, not other/],
    [file, bytes, { version: '2.0' }, /holds version 1\.0, not 2\.0/],
    [file, bytes, { sha256_digest: '0'.repeat(64) }, /send it again/],
    [file, bytes, { ':action': 'submit' }, /file_upload is/],
    ['hello-2.0-py3-none-any.whl', bytes, {}, /which its name does not say/],
    ['hello.exe', bytes, {}, /neither a wheel nor a source distribution/],
    ['../../hello-1.0-py3-none-any.whl', bytes, {}, /neither a wheel/],
    ['hello-1.0.tar.gz', bytes, {}, /cannot be read/],
    [file, await zip({ 'a.txt': '' }), {}, /has no \.dist-info\/METADATA/],
    ['hello-x-py3-none-any.whl', await wheel('hello', 'x'), {}, /no version of Python/],
  ]
  for (const [name, content, fields, why] of refused) {
    const [status, text] = await upload(name, content, fields)
    expect([status >= 400 && status < 500, text]).toEqual([true, expect.stringMatching(why)])
  }
  expect((await json('simple/')).projects).toEqual([])
  await upload(file, bytes)
  const [status, text] = await upload(file, await wheel('hello', '1.0', 'License: MIT\n'))
  expect([status, text]).toEqual([409, expect.stringContaining('use a new number')])
  expect((await ask('files/hello/..%2Fhello')).status).toBe(404)
})

test('strangers are asked for a token while a project is private', async () => {
  const { world, ada, upload, ask } = await makeIndex()
  const anonymous = async (path: string) => (await ask(path, JSON_TYPE, null)).status
  expect(await anonymous('simple/hello/')).toBe(404)
  const bytes = await wheel('hello', '1.0')
  const file = 'hello-1.0-py3-none-any.whl'
  expect((await upload(file, bytes, {}, null))[0]).toBe(401)
  expect((await upload(file, bytes, {}, `hthu_${'a'.repeat(46)}`))[0]).toBe(401)
  await upload(file, bytes)
  expect(await anonymous('simple/hello/')).toBe(401)
  expect(await anonymous('simple/nothing/')).toBe(401)
  expect(await anonymous('simple/')).toBe(401)
  const target = { workspace: 'acme', package_type: 'pypi' as const, package_name: 'hello' }
  await world.call(updatePackage, ada, { ...target, visibility: 'public' })
  expect(await anonymous('simple/hello/')).toBe(200)
})
