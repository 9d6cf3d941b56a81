import { expect, test } from 'bun:test'
import { countClone, MAX_CLONES_PER_MINUTE } from '#http/git/clone-rate-limit.ts'
import { LIMITS } from '#http/rate-limiter.ts'
import { errorOf } from './forge.ts'
import { makeListening } from './listening-world.ts'

const { world, get, token } = await makeListening({
  limits: { rate: true, proof_of_work: true, disk_reserve: 0 },
  trusted_proxies: ['127.0.0.1'],
})
const ada = await world.user('ada')
const from = (address: string) => ({ 'x-forwarded-for': address })
const times = async (count: number, ask: () => Promise<Response>): Promise<Response> => {
  let last = await ask()
  for (let i = 1; i < count; i++) {
    expect(last.status).not.toBe(429)
    last = await ask()
  }
  return last
}

test('without a token an address has its number a minute, and then waits', async () => {
  const ask = (address: string) => get('/api/v1/repos/acme/none', from(address))
  const last = await times(LIMITS.api.anonymous, () => ask('192.0.2.1'))
  expect(last.status).toBe(404)
  expect(last.headers.get('ratelimit-policy')).toBe('"anonymous";q=60;w=60')
  const refused = await ask('192.0.2.1')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('ratelimit')).toBe('"anonymous";r=0;t=60')
  expect(refused.headers.get('ratelimit-policy')).toBe('"anonymous";q=60;w=60')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('access-control-expose-headers')).toContain('retry-after')
  expect(await errorOf(refused)).toMatchObject({ code: 'rate_limited', reason: 'rate' })
  // Others are not held up, nor is the same address by git or with a token; and a minute later all
  // is as before.
  expect((await ask('192.0.2.2')).status).toBe(404)
  expect(
    (await get('/acme/none.git/info/refs?service=git-upload-pack', from('192.0.2.1'))).status,
  ).toBe(401)
  const secret = await token(ada)
  const own = await get('/api/v1/user', { ...from('192.0.2.1'), authorization: `Bearer ${secret}` })
  expect([own.status, own.headers.get('ratelimit-policy')]).toEqual([
    200,
    '"authenticated";q=1000;w=60',
  ])
  world.clock.advance(60_000)
  expect((await ask('192.0.2.1')).status).toBe(404)
})

test('git and people are told in plain text', async () => {
  const ask = () => get('/acme/none.git/info/refs?service=git-upload-pack', from('192.0.2.10'))
  await times(LIMITS.git.anonymous, ask)
  const refused = await ask()
  expect([refused.status, refused.headers.get('content-type')]).toEqual([
    429,
    'text/plain; charset=utf-8',
  ])
  expect(await refused.text()).toStartWith('too many requests: wait ')
})

test('guessing tokens counts against the address, whichever is guessed', async () => {
  const guess = (i: number) =>
    get('/api/v1/user', {
      ...from('192.0.2.20'),
      authorization: `Bearer hthu_${String(i).padStart(40, 'x')}`,
    })
  for (let i = 0; i < LIMITS.api.anonymous; i++) expect((await guess(i)).status).toBe(401)
  expect((await guess(9999)).status).toBe(429)
  // A person at the same address with a token that was good goes on.
  const secret = await token(ada)
  const own = () =>
    get('/api/v1/user', { ...from('192.0.2.30'), authorization: `Bearer ${secret}` })
  expect((await own()).status).toBe(200)
  expect(
    (await get('/api/v1/user', { ...from('192.0.2.20'), authorization: `Bearer ${secret}` }))
      .status,
  ).toBe(200)
})

test('what has not changed is not counted', async () => {
  const ask = (headers: Record<string, string> = {}) =>
    get('/api/', { ...from('192.0.2.40'), ...headers })
  const etag = (await ask()).headers.get('etag') ?? ''
  for (let i = 0; i < 2 * LIMITS.api.anonymous; i++)
    expect((await ask({ 'if-none-match': etag })).status).toBe(304)
})

test('health is never limited, and off there is no word of limits', async () => {
  for (let i = 0; i < 100; i++) expect((await get('/livez', from('192.0.2.50'))).status).toBe(200)
  const open = await makeListening()
  for (let i = 0; i < 100; i++) {
    const response = await open.get('/api/v1/repos/acme/none')
    expect([response.status, response.headers.get('ratelimit-policy')]).toEqual([404, null])
  }
})

test('a link to an archive is counted by itself, a sign-in that nobody has is none, and files of pages are free', async () => {
  const link = () => get('/_archive/nonsense/x.zip', from('192.0.2.60'))
  const last = await times(LIMITS.costly + 10, link)
  expect(last.headers.get('ratelimit-policy')).toBe('"authenticated";q=1000;w=60')
  const page = (cookie: number) =>
    get('/acme/none/search', {
      ...from('192.0.2.61'),
      cookie: `hearth=${String(cookie).padStart(43, 'x')}`,
    })
  for (let i = 0; i < LIMITS.costly; i++) expect((await page(i)).status).not.toBe(429)
  expect((await page(LIMITS.costly)).status).toBe(429)
  expect((await get('/assets/none.css', from('192.0.2.61'))).headers.get('ratelimit-policy')).toBe(
    '"anonymous";q=3000;w=60',
  )
})

test('a bad token counts like a request without one', async () => {
  const guess = (i: number) =>
    get('/api/v1/user', {
      ...from('192.0.2.70'),
      authorization: `Bearer hthu_${String(i).padStart(40, 'y')}`,
    })
  const plain = () => get('/api/v1/repos/acme/none', from('192.0.2.70'))
  for (let i = 0; i < LIMITS.api.anonymous / 2; i++)
    expect([(await guess(i)).status, (await plain()).status]).toEqual([401, 404])
  expect((await plain()).status).toBe(429)
})

test('whole copies of one repository are counted for all addresses together, and only those that are made anew', async () => {
  const { hearth } = world
  for (let i = 0; i < MAX_CLONES_PER_MINUTE; i++) countClone(hearth, 'popular')
  expect(() => countClone(hearth, 'popular')).toThrow(
    expect.objectContaining({
      status: 429,
      code: 'rate_limited',
      headers: expect.objectContaining({ 'retry-after': '60' }),
    }),
  )
  countClone(hearth, 'quiet')
  world.clock.advance(60_000)
  countClone(hearth, 'popular')
})
