/** The cache of an upstream, shown with the protocol of npm. */
import { expect, test } from 'bun:test'
import { emptyPackageUpstream } from '#features/packages/upstreams/empty-package-upstream.ts'
import { evictUpstreamFiles } from '#features/packages/upstreams/evict.ts'
import { listPackageUpstreams } from '#features/packages/upstreams/list-package-upstreams.ts'
import { useTimes } from '#features/packages/upstreams/use-times.ts'
import { getUsage } from '#features/site/get-usage.ts'
import { setQuota } from '#features/site/set-quota.ts'
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

test('a cache never exceeds its size, and what does not fit is sent all the same', async () => {
  const served = await makeServedUpstream('npm', { max_bytes: 11_000 })
  const { world, ada, send, registry } = served
  const names = ['one', 'two', 'three', 'four']
  for (const name of names) publishThere(served, name)
  const size = async () =>
    (await world.call(listPackageUpstreams, ada, { workspace })).upstreams[0]?.size_in_bytes
  const usage = async () => (await world.call(getUsage, ada, { workspace })).packages_bytes.used
  for (const name of names) {
    const answer = await send(`${name}/-/${name}-1.0.0.tgz`)
    expect([answer.status, await answer.text()]).toEqual([200, TARBALL])
    expect(await size()).toBeLessThanOrEqual(11_000)
    expect(await usage()).toBe((await size()) ?? 0)
    world.clock.advance(1000)
  }
  await send('four/-/four-1.0.0.tgz')
  expect(registry.count('/four/-/four-1.0.0.tgz')).toBe(1)

  await served.set('npm', { max_bytes: 1000 })
  const answer = await send('one/-/one-1.0.0.tgz')
  expect([answer.status, await answer.text()]).toEqual([200, TARBALL])
  await world.call(emptyPackageUpstream, ada, { workspace, package_type: 'npm' })
  expect([await size(), await usage()]).toEqual([0, 0])
})

test('a file that a quota refuses is fetched once, until there is room', async () => {
  const served = await makeServedUpstream('npm')
  const { world, send, registry } = served
  publishThere(served, 'left-pad')
  await send('left-pad')
  const root = await world.user('root', { site_admin: true })
  const quota = (packages_bytes: number | null) =>
    world.call(setQuota, root, { workspace, packages_bytes })
  await quota(2000)
  for (let times = 0; times < 3; times++) {
    const refused = await send(FILE)
    expect([refused.status, (await refused.json()).error]).toEqual([
      403,
      expect.stringContaining('would not fit'),
    ])
  }
  expect(registry.count(`/${FILE}`)).toBe(1)
  await quota(20_000)
  expect((await send(FILE)).status).toBe(200)
  expect(registry.count(`/${FILE}`)).toBe(2)
})
