import { expect, test } from 'bun:test'
import { firstDigestWord } from '#web/client/sha256.ts'
import { PROOF_BITS, isValidProof } from '#web/crawlers.ts'
import { makeWorld } from '../world.ts'
import { browser, serveSite } from './visitor.ts'

const world = await makeWorld({ site_url: 'http://hearth.test', trusted_proxies: ['127.0.0.1'] })
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.repo('acme/site', { as: ada })
const tip = await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
const site = serveSite(world)
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const COSTLY = '/acme/site/blame/main/a.txt'

function solve(html: string): { challenge: string; answer: string } {
  const challenge = /data-work="([^"]+)"/.exec(html)?.[1] ?? ''
  let answer = 0
  while (!isValidProof(challenge, String(answer))) answer++
  return { challenge, answer: String(answer) }
}

test('after sixty costly pages a network must compute a proof of work once an hour', async () => {
  const visitor = browser(site)
  for (let i = 0; i < 60; i++)
    expect((await visitor.get(COSTLY, from(`192.0.2.${i}`))).status).toBe(200)
  const asked = await visitor.get(COSTLY, from('192.0.2.200'))
  expect([asked.status, asked.headers.get('retry-after')]).toEqual([429, '1'])
  expect(asked.text).toContain(`data-bits="${PROOF_BITS}"`)
  // Without a script one is told to sign in.
  expect(asked.text).toContain('/login?next=%2Facme%2Fsite%2Fblame%2Fmain%2Fa.txt')
  // Cheap pages and other networks are not asked, and REST is never.
  expect((await visitor.get('/acme/site', from('192.0.2.200'))).status).toBe(200)
  expect((await browser(site).get(COSTLY, from('198.51.100.1'))).status).toBe(200)
  expect(
    (await fetch(`${site.url}/api/v1/repos/acme/site/commits/${tip}`, from('192.0.2.200'))).status,
  ).toBe(200)

  const { challenge, answer } = solve(asked.text)
  const wrong = await visitor.post(
    '/-/work',
    { challenge, answer: '-1', next: COSTLY },
    from('192.0.2.200'),
  )
  expect(wrong.status).toBe(403)
  // Work done in one network is worth nothing in another.
  expect(
    (await visitor.post('/-/work', { challenge, answer, next: COSTLY }, from('198.51.100.1')))
      .status,
  ).toBe(403)
  const done = await visitor.post(
    '/-/work',
    { challenge, answer, next: '//evil.example/' },
    from('192.0.2.200'),
  )
  expect([done.status, done.location]).toEqual([303, '/'])
  expect((await visitor.get(COSTLY, from('192.0.2.201'))).status).toBe(200)
  expect((await browser(site).get(COSTLY, from('192.0.2.201'))).status).toBe(429)
  world.clock.advance(61 * 60_000)
  expect((await browser(site).get(COSTLY, from('192.0.2.201'))).status).toBe(200)
})

test('robots.txt excludes costly pages', async () => {
  const { text, headers } = await browser(site).get('/robots.txt')
  expect(headers.get('content-type')).toContain('text/plain')
  for (const path of ['/*/blame/', '/*/commits/', '/*/compare/', '/api'])
    expect(text).toContain(`Disallow: ${path}\n`)
})

test('the browser’s script computes the digest that the server checks', () => {
  for (const text of ['', 'abc', 'x'.repeat(55), 'x'.repeat(56), 'x'.repeat(64), 'x'.repeat(200)]) {
    expect(firstDigestWord(text)).toBe(
      new Bun.CryptoHasher('sha256').update(text).digest().readUInt32BE(0),
    )
  }
})
