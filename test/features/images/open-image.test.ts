import { afterAll, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { Settings } from '#core/settings.ts'
import { imageKey, openImage } from '#features/images/index.ts'
import { imageProxyPath } from '#lib/image-address.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal } from '../../world.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])

async function setUp(change: Partial<Settings> = {}) {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(`${request.method} ${pathname} ${request.headers.get('referer') ?? ''}`.trim())
      if (pathname === '/moved') return Response.redirect('/a.png', 302)
      if (pathname === '/page')
        return new Response('<html>', { headers: { 'content-type': 'image/png' } })
      if (pathname === '/large')
        return new Response(Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)]))
      if (pathname === '/badge')
        return new Response('<svg xmlns="http://www.w3.org/2000/svg"/>', {
          headers: { 'content-type': 'image/svg+xml;charset=utf-8' },
        })
      return pathname === '/a.png' ? new Response(PNG) : new Response('', { status: 404 })
    },
  })
  afterAll(() => server.stop(true))
  const world = await makeWorld({
    outbound_allow: ['http://127.0.0.1'],
    images: { external: 'proxy' },
    ...change,
  })
  const inputOf = (address: string) => {
    const path = imageProxyPath(imageKey(world.hearth), address) ?? ''
    const [, , , signature = '', hex = ''] = path.split('/')
    return { signature, address: hex }
  }
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`
  return {
    world,
    asked,
    inputOf,
    at,
    open: (path: string) => world.call(openImage, anonymous, inputOf(at(path))),
  }
}

test('an image is fetched once, through redirects and without a referrer', async () => {
  const { open, asked } = await setUp()
  const found = await Promise.all([open('/moved'), open('/moved')])
  expect(found.map(({ type, bytes }) => [type, [...bytes]])).toEqual([
    ['image/png', [...PNG]],
    ['image/png', [...PNG]],
  ])
  expect((await open('/moved')).type).toBe('image/png')
  expect(asked).toEqual(['GET /moved', 'GET /a.png'])
  expect((await open('/badge')).type).toBe('image/svg+xml')
})

test('what is no image, too large or missing is not passed on, nor asked for again at once', async () => {
  const { open, asked, world } = await setUp()
  for (const path of ['/page', '/large', '/missing'])
    expect(await refusal(open(path))).toMatchObject({ status: 404 })
  expect(await refusal(open('/missing'))).toMatchObject({ status: 404 })
  expect(asked).toHaveLength(3)
  world.clock.advance(6 * MINUTE)
  expect(await refusal(open('/missing'))).toMatchObject({ status: 404 })
  expect(asked).toHaveLength(4)
})

test('only addresses that were signed here are fetched, and no machine of the network', async () => {
  const { world, inputOf, at, asked } = await setUp({ outbound_allow: [] })
  expect(await refusal(world.call(openImage, anonymous, inputOf(at('/a.png'))))).toMatchObject({
    status: 404,
  })
  const other = { ...inputOf(at('/a.png')), address: inputOf(at('/b.png')).address }
  expect(await refusal(world.call(openImage, anonymous, other))).toMatchObject({ status: 404 })
  expect(asked).toEqual([])
})

test('with the setting off or direct, nothing is fetched', async () => {
  for (const external of ['direct', 'off'] as const) {
    const { open, asked } = await setUp({ images: { external } })
    expect(await refusal(open('/a.png'))).toMatchObject({ status: 404 })
    expect(asked).toEqual([])
  }
})
