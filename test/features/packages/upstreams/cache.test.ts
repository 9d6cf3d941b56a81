/** The cache of an upstream, shown with the protocol of npm. */
import { expect, test } from 'bun:test'
import { evictUpstreamFiles } from '#features/packages/upstreams/evict.ts'
import { listPackageUpstreams } from '#features/packages/upstreams/list-package-upstreams.ts'
import { useTimes } from '#features/packages/upstreams/use-times.ts'
import { DAY, MINUTE } from '#lib/time.ts'
import { makeServedUpstream, workspace } from './fixture.ts'
import { publishThere, TARBALL } from './packuments.ts'

const FILE = 'left-pad/-/left-pad-1.0.0.tgz'

test('many first reads fetch once; a file is never fetched again', async () => {
  const served = await makeServedUpstream('npm')
  publishThere(served, 'left-pad')
  const { registry, send } = served
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(FILE)))
  for (const answer of answers) expect([answer.status, await answer.text()]).toEqual([200, TARBALL])
  await send(FILE)
  expect([registry.count('/left-pad'), registry.count(`/${FILE}`)]).toEqual([1, 1])
})

test('documents are revalidated after five minutes, and served stale while the upstream is away', async () => {
  const served = await makeServedUpstream('npm')
  publishThere(served, 'left-pad')
  const { registry, send, world, ada } = served
  await send('left-pad')
  world.clock.advance(4 * MINUTE)
  await send('left-pad')
  expect(registry.count('/left-pad')).toBe(1)
  world.clock.advance(2 * MINUTE)
  registry.isDown = true
  const stale = await send('left-pad')
  expect([stale.status, stale.headers.get('warning')]).toEqual([200, '110 - "Response is Stale"'])
  expect((await send('unknown')).status).toBe(503)
  const { upstreams } = await world.call(listPackageUpstreams, ada, { workspace })
  expect(upstreams[0]?.last_error).toContain('503')
  registry.isDown = false
  world.clock.advance(MINUTE)
  const fresh = await send('left-pad')
  expect([fresh.status, fresh.headers.get('warning')]).toEqual([200, null])
  expect((await world.call(listPackageUpstreams, ada, { workspace })).upstreams[0]).toMatchObject({
    last_error: null,
    failed_at: null,
  })
})

test('a document with a validator is not sent again', async () => {
  const served = await makeServedUpstream('npm')
  const { registry, send, world } = served
  let sent = 0
  registry.set('/left-pad', (request: Request) => {
    if (request.headers.get('if-none-match') === '"1"') return new Response(null, { status: 304 })
    sent++
    const body = { name: 'left-pad', versions: { '1.0.0': { name: 'left-pad' } } }
    return Response.json(body, { headers: { etag: '"1"' } })
  })
  for (let at = 0; at < 3; at++) {
    expect((await send('left-pad')).status).toBe(200)
    world.clock.advance(10 * MINUTE)
  }
  expect([sent, registry.count('/left-pad')]).toEqual([1, 3])
})

test('what is not used, or is too much, leaves the cache', async () => {
  const served = await makeServedUpstream('npm', { keep_days: 2, max_bytes: 10_000 })
  const { world, send, registry } = served
  for (const name of ['one', 'two']) publishThere(served, name)
  const run = () =>
    evictUpstreamFiles.run(
      { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_1' },
      null,
    )
  const read = (name: string) => send(`${name}/-/${name}-1.0.0.tgz`)
  await read('one')
  world.clock.advance(DAY)
  await read('two')
  await run()
  // Two files of 5000 bytes and their documents are more than 10000: the older file went.
  await read('two')
  expect(registry.count('/two/-/two-1.0.0.tgz')).toBe(1)
  await read('one')
  expect(registry.count('/one/-/one-1.0.0.tgz')).toBe(2)
  world.clock.advance(3 * DAY)
  await useTimes(world.hearth).flush()
  await run()
  await read('one')
  expect(registry.count('/one/-/one-1.0.0.tgz')).toBe(3)
})
