/** Crates through an upstream that may be hostile. */
import { expect, test } from 'bun:test'
import { digestOf, makeServedUpstream } from '../fixture.ts'
import { getJson } from '../requests.ts'

const CRATE = 'a crate'

const line = (vers: string, change: object = {}): string =>
  JSON.stringify({
    name: 'Pad_it',
    vers,
    deps: [],
    cksum: digestOf('sha256', CRATE),
    features: {},
    yanked: false,
    pubtime: '2020-01-01T00:00:00Z',
    ...change,
  })

test('the index and crates come through, and cargo is told to send its token', async () => {
  const { registry, send, sendAs } = await makeServedUpstream('cargo')
  registry.set('/config.json', { dl: `${registry.url}/dl`, api: registry.url })
  registry.set('/pa/d_/pad_it', `${line('1.0.0')}\n${line('1.1.0-rc.1+build')}\n`)
  registry.set('/dl/Pad_it/1.0.0/download', CRATE)
  expect((await sendAs(null, 'config.json')).status).toBe(401)
  expect((await getJson(send('config.json')))['auth-required']).toBe(true)
  const index = await (await send('pa/d_/pad_it')).text()
  expect(index).toBe(`${line('1.0.0')}\n${line('1.1.0-rc.1+build')}\n`)
  const download = await send('api/v1/crates/pad_it/1.0.0/download')
  expect([download.status, await download.text()]).toEqual([200, CRATE])
  expect((await send('api/v1/crates/pad_it/9.0.0/download')).status).toBe(404)
})

test('markers in dl, young versions, wrong bytes and other names', async () => {
  const { registry, send, world } = await makeServedUpstream('cargo', { min_age_days: 3 })
  const young = { pubtime: new Date(world.clock.at).toISOString() }
  registry.set('/config.json', {
    dl: `${registry.url}/{lowerprefix}/{prefix}/{crate}/{version}.crate`,
  })
  const lines = [line('1.0.0'), line('2.0.0', young), line('3.0.0', { pubtime: undefined })]
  registry.set('/pa/d_/pad_it', lines.join('\n'))
  registry.set('/pa/d_/Pa/d_/Pad_it/1.0.0.crate', CRATE)
  registry.set('/pa/d_/Pa/d_/Pad_it/2.0.0.crate', CRATE)
  expect(await (await send('pa/d_/pad_it')).text()).toBe(`${line('1.0.0')}\n`)
  expect(await (await send('api/v1/crates/Pad_it/1.0.0/download')).text()).toBe(CRATE)
  expect((await send('api/v1/crates/Pad_it/2.0.0/download')).status).toBe(404)
  registry.set('/ot/he/other', line('1.0.0'))
  expect((await send('ot/he/other')).status).toBe(503)
  registry.set('/wr/on/wrong', line('1.0.0', { name: 'wrong' }))
  registry.set('/wr/on/wr/on/wrong/1.0.0.crate', 'other bytes')
  expect((await send('api/v1/crates/wrong/1.0.0/download')).status).toBe(503)
  expect((await send('..%2f../secret')).status).toBe(404)
})
