/** The registry as gem and bundler talk to it: their requests, word for word. */
import { expect, test } from 'bun:test'
import { gunzipSync, inflateSync } from 'node:zlib'
import { makeServedPackages } from '../fixture.ts'
import { gem, tar } from './archives.ts'

const base = '/packages/acme/rubygems'

async function makeRegistry() {
  const served = await makeServedPackages()
  const secret = await served.token()
  const push = async (file: Buffer, token: string | null = secret): Promise<[number, string]> => {
    const response = await served.send(`${base}/api/v1/gems`, {
      method: 'POST',
      body: new Uint8Array(file),
      headers: token === null ? {} : { authorization: token },
    })
    return [response.status, await response.text()]
  }
  const ask = (path: string, init: RequestInit = {}) =>
    served.send(`${base}/${path}`, {
      ...init,
      headers: { authorization: `Basic ${btoa(`any:${secret}`)}`, ...init.headers },
    })
  const text = async (path: string) => (await ask(path)).text()
  return { ...served, secret, push, ask, text }
}

const md5 = (text: string): string => new Bun.CryptoHasher('md5').update(text).digest('hex')

test('push, indexes, install, yank', async () => {
  const { push, ask, text } = await makeRegistry()
  const first = gem('hello', '1.0.0')
  expect(await push(first)).toEqual([200, 'Successfully registered gem: hello (1.0.0)\n'])
  expect(await push(first)).toEqual([200, 'This gem is here already: hello (1.0.0)\n'])
  expect(await push(gem('hello', '1.0.0', 'description: other'))).toEqual([
    409,
    'hello 1.0.0 exists with other content: use a new number\n',
  ])
  const checksum = new Bun.CryptoHasher('sha256').update(first).digest('hex')
  const info = await ask('info/hello')
  const line = `1.0.0 rake:< 14&>= 12|checksum:${checksum},ruby:>= 2.7`
  expect(await info.clone().text()).toBe(`---\n${line}\n`)
  expect(info.headers.get('etag')).toBe(`"${md5(`---\n${line}\n`)}"`)

  const before = await text('versions')
  expect(before).toEndWith(`---\nhello 1.0.0 ${md5(`---\n${line}\n`)}\n`)
  await push(gem('hello', "'1.10'"))
  await push(gem('hello', '2.0.0.rc1'))
  const added = await ask('versions', { headers: { range: `bytes=${before.length - 1}-` } })
  expect(added.status).toBe(206)
  expect(await added.text()).toMatch(/^\nhello 1.10,2.0.0.rc1 [0-9a-f]{32}\n$/)
  const yank = { method: 'DELETE', body: 'gem_name=hello&version=1.10&platform=ruby' }
  expect(await (await ask('api/v1/gems/yank', yank)).text()).toBe(
    'Successfully yanked gem: hello (1.10)\n',
  )
  const after = await text('versions')
  expect(after).toStartWith(before)
  expect(after).toMatch(/\nhello -1.10 [0-9a-f]{32}\n$/)
  expect(after.split(' ').at(-1)?.trim()).toBe(md5(await text('info/hello')))
  expect(await text('names')).toBe('---\nhello\n')

  const full = await ask('gems/hello-1.0.0.gem')
  expect(Buffer.compare(await full.bytes(), first)).toBe(0)
  const specs = async (name: string) =>
    gunzipSync(await (await ask(name)).bytes()).toString('latin1')
  expect(await specs('specs.4.8.gz')).toContain('1.0.0')
  expect(await specs('specs.4.8.gz')).not.toContain('rc1')
  expect(await specs('prerelease_specs.4.8.gz')).toContain('2.0.0.rc1')
  const quick = inflateSync(await (await ask('quick/Marshal.4.8/hello-1.0.0.gemspec.rz')).bytes())
  expect(quick.toString('latin1')).toContain('Gem::Specification')
  // The yanked 1.10 is proposed to nobody.
  expect(await (await ask('api/v1/search.json?query=hel')).json()).toMatchObject([
    { name: 'hello', version: '1.0.0' },
  ])
})

test('indexes of a whole workspace hold what the caller sees', async () => {
  const { push, send, token, mel, secret, ask } = await makeRegistry()
  for (const path of ['versions', 'names', 'specs.4.8.gz'])
    expect([path, (await send(`${base}/${path}`)).status]).toEqual([path, 200])
  await push(gem('hello', '1.0.0'))
  for (const path of ['versions', 'names', 'specs.4.8.gz', 'info/hello', 'info/none'])
    expect([path, (await send(`${base}/${path}`)).status]).toEqual([path, 401])
  const other = await send(`${base}/names`, { token: await token(mel) })
  expect(await other.text()).toBe('---\n')
  expect(await (await ask('api/v1/api_key')).text()).toBe(secret)
  expect((await send(`${base}/api/v1/api_key`)).status).toBe(401)
})

test('what is no gem is refused in words that the person sees', async () => {
  const { push, token, zoe, world } = await makeRegistry()
  const cases: [Buffer, number, RegExp][] = [
    [Buffer.from('no tar'), 422, /cannot be read|no gem/],
    [tar({ 'a.txt': 'x' }), 422, /no metadata.gz/],
    [tar({ 'metadata.gz': 'no gzip' }), 422, /broken/],
    [
      tar({ 'metadata.gz': Bun.gzipSync(Buffer.alloc(2 * 1024 ** 2, 0x61)) }),
      422,
      /larger than 1 MiB/,
    ],
    [gem('hello', '1.10'), 422, /not in quotes/],
    [gem('../evil', '1.0.0'), 422, /no name of a gem/],
    [gem('hello', '1.0.0', 'x: [[[[['), 422, /cannot be read/],
  ]
  for (const [file, status, message] of cases)
    expect(await push(file)).toEqual([status, expect.stringMatching(message)])
  expect((await push(gem('hello', '1.0.0'), null))[0]).toBe(401)
  expect((await push(gem('hello', '1.0.0'), await token(zoe)))[0]).toBe(404)
  expect(world.hearth.db.all('SELECT id FROM packages')).toEqual([])
})

test('a gem whose name ends in a number is found', async () => {
  const { push, ask } = await makeRegistry()
  await push(gem('a-1', '2.0'.padEnd(5, '.0')))
  expect((await ask('gems/a-1-2.0.0.gem')).status).toBe(200)
  expect((await ask('gems/a-1-3.0.0.gem')).status).toBe(404)
  expect((await ask('gems/nothing.gem')).status).toBe(404)
})

test('gem owner lists, adds and removes admins', async () => {
  const { push, ask } = await makeRegistry()
  await push(gem('hello', '1.0.0'))
  const owners = 'api/v1/gems/hello/owners'
  const send = async (method: string, email: string) => {
    const response = await ask(owners, { method, body: new URLSearchParams({ email }) })
    return [response.status, await response.text()]
  }
  expect(await send('POST', 'mel')).toEqual([200, 'Owner added successfully.\n'])
  expect(await (await ask(`${owners}.yaml`)).text()).toBe(
    '---\n- id: 1\n  handle: "ada"\n- id: 2\n  handle: "mel"\n',
  )
  expect(await send('POST', 'zoe')).toEqual([422, expect.stringContaining('no member of acme')])
  expect(await send('DELETE', 'mel')).toEqual([200, 'Owner removed successfully.\n'])
  expect(await (await ask(`${owners}.json`)).json()).toEqual([{ id: 1, handle: 'ada' }])
})
