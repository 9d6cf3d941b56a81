import { expect, test } from 'bun:test'
import { listRunners } from '#features/runners/list-runners.ts'
import { makeWireWorld, REPO, WireRunner } from './wire.ts'

test('a registration token is for one runner, and ends after seven days', async () => {
  const { world, ada, url, runner } = await makeWireWorld()
  const far = await runner({ labels: ['linux', 'gpu'] }, ['linux:host', 'other'])
  const [listed] = (await world.call(listRunners, ada, REPO)).items
  expect(listed).toMatchObject({ labels: ['linux'], version: 'v1.0.8', state: 'online' })
  const second = new WireRunner(url)
  expect(second.register(far.registration)).rejects.toThrow('unauthenticated')
  expect(second.register('')).rejects.toThrow('unauthenticated')
  expect(second.fetch()).rejects.toThrow('unauthenticated')
  expect(Object.assign(second, { uuid: far.uuid }).fetch()).rejects.toThrow('unauthenticated')
})

test('plain HTTP is for the same machine only', async () => {
  const { runner, world } = await makeWireWorld({
    site_url: 'http://hearth.test',
    trusted_proxies: ['127.0.0.1'],
  })
  const far = await runner()
  expect(await far.fetch()).toBeNull()
  const answer = await far.send('FetchTask', new Uint8Array(), { 'x-forwarded-for': '192.0.2.7' })
  expect(answer.status).toBe(403)
  // Runners show the message of exactly this type only.
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(((await answer.json()) as { message: string }).message).toContain('HTTPS')
  expect(world.hearth.settings.tls).toBeNull()
})

test('JSON, compressed bodies and broken messages', async () => {
  const { url, runner } = await makeWireWorld()
  const far = await runner()
  const ping = (body: BodyInit, headers: Record<string, string>) =>
    fetch(`${url}/api/actions/ping.v1.PingService/Ping`, { method: 'POST', headers, body })
  const json = await ping('{"data":"you"}', { 'content-type': 'application/json' })
  expect(await json.json()).toEqual({ data: 'Hello, you!' })
  const packed = Bun.gzipSync(Buffer.from('{"data":"you"}'))
  const gzip = await ping(new Uint8Array(packed), {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  })
  expect(await gzip.json()).toEqual({ data: 'Hello, you!' })
  for (const body of [[0x0a, 0xff], [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], [0xff], [0x0b]])
    expect((await far.send('FetchTask', Uint8Array.from(body))).status).toBe(400)
  const bomb = Bun.gzipSync(Buffer.alloc(8 * 1024 ** 2))
  expect((await far.send('FetchTask', bomb, { 'content-encoding': 'gzip' })).status).toBe(429)
})

test('a body is read only for those who may call, and has a bounded number of parts', async () => {
  const { url, runner } = await makeWireWorld()
  const far = await runner()
  // A message of empty rows, two bytes each.
  const rows = new Uint8Array(400_000)
  for (let at = 0; at < rows.length; at += 2) rows[at] = 0x1a
  const answer = await far.send('UpdateLog', rows)
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid_argument' }])
  const json = `{"rows":[${Array.from({ length: 200_000 }, () => '{}').join()}]}`
  const many = await far.send('UpdateLog', new TextEncoder().encode(json), {
    'content-type': 'application/json',
  })
  expect([many.status, await many.json()]).toMatchObject([429, { code: 'resource_exhausted' }])

  // Strangers learn nothing about their message, because nobody reads it.
  const stranger = new WireRunner(url)
  for (const method of ['Declare', 'FetchTask', 'UpdateTask', 'UpdateLog'])
    expect((await stranger.send(method, Uint8Array.from([0x0a, 0xff]))).status).toBe(401)
})
