import { expect, test } from 'bun:test'
import { CompactSign, UnsecuredJWT } from 'jose'
import { readClientId, signClientId } from '#features/oauth/client-ids.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { client, oauthErrorOf, runForge } from './running.ts'

const forge = await runForge()
const elsewhere = await runForge()
const registration = {
  issuer: forge.url,
  name: 'App',
  redirect_uris: ['https://app.example/callback'],
}
const good = await signClientId(forge.hearth, registration)
const payload = { iss: forge.url, client_name: 'App', redirect_uris: ['https://evil.example/'] }
const bytes = new TextEncoder().encode(JSON.stringify(payload))
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const [header = '', body = '', signature = ''] = good.split('.')
const key = hmacSha256(installationKey(forge.data), 'ids of applications')
const sign = (head: Record<string, string>, by: Uint8Array = key) =>
  new CompactSign(bytes).setProtectedHeader(head as { alg: string }).sign(by)

/**
 * Changes the last character without changing the bytes: base64url leaves two of its bits unused.
 */
const respelt = () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = letters.indexOf(signature.at(-1) ?? '')
  return `${header}.${body}.${signature.slice(0, -1)}${letters[last ^ 1]}`
}

const FORGED: Record<string, string> = {
  'without a signature': new UnsecuredJWT(payload).encode(),
  'alg none in another spelling': `${part({ alg: 'nOnE', typ: 'client+jwt' })}.${part(payload)}.`,
  'alg none with the old signature': `${part({ alg: 'none', typ: 'client+jwt' })}.${body}.${signature}`,
  'other content under the signature': `${header}.${part(payload)}.${signature}`,
  'another header over the signature': `${part({ alg: 'HS256', typ: 'client+jwt', kid: 'x' })}.${body}.${signature}`,
  'a signature that is cut': good.slice(0, -4),
  'a signature of nothing': `${header}.${body}.`,
  'the signature in another spelling': respelt(),
  padding: `${good}=`,
  'a fourth part': `${good}.x`,
  'a space': `${good} `,
  'another key': await sign(
    { alg: 'HS256', typ: 'client+jwt' },
    crypto.getRandomValues(new Uint8Array(32)),
  ),
  'an empty key': await sign({ alg: 'HS256', typ: 'client+jwt' }, new Uint8Array(32)),
  'another installation': await signClientId(elsewhere.hearth, registration),
  'another algorithm': await sign({ alg: 'HS512', typ: 'client+jwt' }, Buffer.concat([key, key])),
  'another type': await sign({ alg: 'HS256', typ: 'JWT' }),
  'no type': await sign({ alg: 'HS256' }),
  nothing: '',
  'a word': 'client',
  'an address without https': 'http://app.example/client.json',
  script: 'javascript:alert(1)',
  'too long': 'x'.repeat(9000),
}

test('a client id that was not signed here is refused at every endpoint', async () => {
  expect(await readClientId(forge.hearth, good)).toEqual(registration)
  const app = await client(forge)
  const ada = await forge.browser('ada')
  for (const [what, client_id] of Object.entries(FORGED)) {
    expect([what, await readClientId(forge.hearth, client_id)]).toEqual([what, null])
    for (const browser of [ada, await forge.browser(null)]) {
      const { status, location } = await browser.open(
        app.query({ client_id, redirect_uri: 'https://evil.example/' }),
      )
      expect([what, status >= 400 && status < 500, location]).toEqual([what, true, ''])
      if (client_id.length < 8000) expect([what, status]).toEqual([what, 400])
    }
    const code = (await app.decide('ada')).get('code') ?? ''
    const [status, error] = await oauthErrorOf(await app.exchange(code, { client_id }))
    expect([what, status, ['invalid_client', 'invalid_request'].includes(error)]).toEqual([
      what,
      400,
      true,
    ])
  }
})

test('an id of another issuer of this site is refused', async () => {
  const stranger = await signClientId(forge.hearth, {
    ...registration,
    issuer: 'https://elsewhere.example',
  })
  const ada = await forge.browser('ada')
  const app = await client(forge)
  expect((await ada.open(app.query({ client_id: stranger }))).status).toBe(400)
  expect(await oauthErrorOf(await app.exchange('code', { client_id: stranger }))).toEqual([
    400,
    'invalid_client',
  ])
  // Registered with the site, sent to the API's issuer: a mix-up attack (RFC 9207).
  expect((await ada.open(app.query({ issuer: `${forge.url}/api` }))).status).toBe(400)
  expect((await ada.open(app.query({ issuer: 'https://elsewhere.example' }))).status).toBe(400)
  const ofApi = await client(forge, { issuer: 'api' })
  expect((await ofApi.decide('ada')).get('iss')).toBe(`${forge.url}/api`)
  expect((await ada.open(ofApi.query({ issuer: forge.url }))).status).toBe(400)
  const redirected = await forge.get(`/api${ofApi.query()}`)
  expect(redirected.status).toBe(302)
  expect((await ada.open(redirected.headers.get('location') ?? '')).status).toBe(200)
})
