/** Composer packages through an upstream that may be hostile. */
import { expect, test } from 'bun:test'
import { zip } from '../../formats/archives.ts'
import { digestOf, makeServedUpstream } from '../fixture.ts'
import { getJson } from '../requests.ts'

const ARCHIVE = 'an archive'
type Version = Record<string, unknown> & { version: string; dist?: { url: string } }

async function makeRepository(change: object = {}) {
  const all = await makeServedUpstream('composer', change)
  const { registry } = all
  registry.set('/packages.json', { packages: [], 'metadata-url': '/meta/%package%.json' })
  registry.set('/zip', ARCHIVE)
  const put = (versions: object[], end = '', more: object = {}) =>
    registry.set(`/meta/pad/it${end}.json`, { packages: { 'pad/it': versions }, ...more })
  const read = async (end = ''): Promise<Version[]> => {
    const { packages } = await getJson(all.send(`p2/pad/it${end}.json`))
    return (packages as Record<string, Version[]>)['pad/it'] ?? []
  }
  const fetchDist = ({ dist }: Version) =>
    all.send(decodeURIComponent(new URL(dist?.url ?? '').pathname).replace(/^.*\/composer\//, ''))
  return { ...all, put, read, fetchDist }
}

const version = (number: string, url: string, change: object = {}) => ({
  name: 'pad/it',
  version: number,
  version_normalized: `${number}.0`,
  time: '2020-01-01T00:00:00+00:00',
  require: { php: '>=8' },
  dist: { type: 'zip', url, reference: number, shasum: '' },
  source: { type: 'git', url: 'https://example.org/pad.git', reference: number },
  ...change,
})

test('documents lead here, also minified ones, and archives come through', async () => {
  const { registry, put, read, fetchDist, send, sendAs } = await makeRepository()
  const url = `${registry.url}/zip`
  const second = { version: '1.0.0', version_normalized: '1.0.0.0', require: '__unset' }
  put([version('1.1.0', url), second], '', { minified: 'composer/2.0' })
  const [first, next] = await read()
  expect(first).toMatchObject({
    version: '1.1.0',
    require: { php: '>=8' },
    source: { type: 'git' },
  })
  expect(next).toMatchObject({ version: '1.0.0', require: '__unset' })
  expect(first?.dist?.url).toMatch(
    /^https:\/\/hearth\.test\/packages\/acme\/composer\/files\/pad\/it\/1\.1\.0\.0~/,
  )
  expect(await (await fetchDist(first as Version)).text()).toBe(ARCHIVE)
  const root = await getJson(send('packages.json'))
  expect([root['metadata-url'], 'available-packages' in root]).toEqual([
    'https://hearth.test/packages/acme/composer/p2/%package%.json',
    false,
  ])
  expect((await sendAs(null, 'packages.json')).status).toBe(401)
  registry.isDown = true
  expect(await (await fetchDist(first as Version)).text()).toBe(ARCHIVE)
  expect((await send('p2/pad/missing.json')).status).toBe(503)
})

test('branches, digests, and archives that are none', async () => {
  const { registry, put, read, fetchDist, send } = await makeRepository()
  const url = `${registry.url}/zip`
  const sha1 = digestOf('sha1', ARCHIVE)
  const dist = (shasum: string) => ({ dist: { type: 'zip', url, reference: shasum, shasum } })
  put([version('1.0.0', url, dist(sha1)), version('2.0.0', url, dist('0'.repeat(40)))])
  const branch = version('dev-a/b', url, { version_normalized: 'dev-a/b' })
  put([branch, version('dev-c', url, { dist: { type: 'path', url: '../..' } })], '~dev')
  const [right, wrong] = await read()
  expect((await fetchDist(right as Version)).status).toBe(200)
  expect((await fetchDist(wrong as Version)).status).toBe(503)
  const [dev, without] = await read('~dev')
  expect(await (await fetchDist(dev as Version)).text()).toBe(ARCHIVE)
  expect(without?.dist).toBe('__unset' as never)
  expect((await send('files/pad/it/none.zip')).status).toBe(404)
  registry.set('/meta/other/it.json', { packages: { 'pad/it': [] } })
  expect((await send('p2/other/it.json')).status).toBe(503)
})

test('young versions are left out, and names of the workspace stay here', async () => {
  const { registry, put, read, send, sendAs, token, ada, world } = await makeRepository({
    min_age_days: 3,
  })
  const young = { time: new Date(world.clock.at).toISOString() }
  const url = `${registry.url}/zip`
  put([version('2.0.0', url, young), version('1.0.0', url), version('0.9.0', url, { time: 7 })])
  expect((await read()).map((one) => one.version)).toEqual(['1.0.0'])
  const owner = await token(ada, ['packages:write'])
  const body = new Uint8Array(await zip({ 'composer.json': '{"name":"acme/own"}' }))
  await sendAs(owner, '?version=1.0.0', { method: 'PUT', body })
  registry.set('/meta/acme/own.json', { packages: { 'acme/own': [version('9.0.0', url)] } })
  expect((await send('p2/acme/own.json')).status).toBe(404)
  expect(registry.count('/meta/acme/own.json')).toBe(0)
})

test('a repository of Composer 1 is named as such', async () => {
  const { registry, send } = await makeRepository()
  registry.set('/packages.json', { packages: {}, 'providers-url': '/p/%package%$%hash%.json' })
  const answer = await send('p2/pad/it.json')
  expect([answer.status, await answer.text()]).toEqual([
    503,
    expect.stringContaining('metadata-url'),
  ])
})
