import { expect, test } from 'bun:test'
import { checkOutbound } from '#features/site/check-outbound.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })

test('a blocked address is reported with the reason', async () => {
  const blocked = await world.call(checkOutbound, root, { url: 'https://127.0.0.1:9/' })
  expect(blocked.reached).toBe(false)
  expect(blocked.detail).toContain('not a public address')
  expect(await refusal(world.call(checkOutbound, root, { url: 'nonsense' }))).toMatchObject({
    field: 'url',
  })

  const open = await makeWorld({ outbound_allow: ['http://127.0.0.1'] })
  const there = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('hello', { status: 418 }),
  })
  try {
    expect(
      await open.call(checkOutbound, await open.user('root', { site_admin: true }), {
        url: there.url.href,
      }),
    ).toMatchObject({ reached: true, detail: expect.stringContaining('answered 418') })
  } finally {
    await there.stop(true)
  }
})
