import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { AcmeError, newAccountKey, orderCertificate, type AcmeOptions } from '#lib/acme.ts'
import { certificateRequest, readDates, selfSigned } from '#lib/x509.ts'
import { makeAuthority, type AuthorityOptions } from './acme-authority.ts'

/** A site that serves the given challenge responses. */
function made(options: AuthorityOptions = {}, change: Partial<AcmeOptions> = {}) {
  const tokens = new Map<string, string>()
  const site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) =>
      new Response(tokens.get(new URL(request.url).pathname.split('/').at(-1) ?? '') ?? 'nothing'),
  })
  const authority = makeAuthority({ httpPort: () => site.port ?? 0, ...options })
  const acme: AcmeOptions = {
    directory: authority.directory,
    accountKey: newAccountKey(),
    email: 'ada@example.com',
    transport: authority.transport,
    challenge: 'http-01',
    wait: async () => {},
    answer: (_, token, keyAuthorization) => {
      tokens.set(token, keyAuthorization)
      return () => void tokens.delete(token)
    },
    ...change,
  }
  return { authority, acme, tokens, end: () => site.stop(true) }
}

test('an order yields a certificate and removes its challenge responses', async () => {
  const { authority, acme, tokens, end } = made()
  const { cert, key } = await orderCertificate(['git.example.com', 'www.example.com'], acme)
  expect(readDates(cert).names).toEqual(['git.example.com', 'www.example.com'])
  expect(createPrivateKey(key).asymmetricKeyType).toBe('ec')
  expect(authority.seen.contacts).toEqual([['mailto:ada@example.com']])
  expect(tokens.size).toBe(0)
  // What it asks for is a request that another program can read and whose signature holds.
  const csr = Buffer.from(authority.seen.csrs[0] ?? '', 'base64url')
  const read = execFileSync('openssl', ['req', '-inform', 'DER', '-noout', '-text', '-verify'], {
    input: csr,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString()
  expect(read).toContain('DNS:git.example.com, DNS:www.example.com')
  await end()
})

test('expired nonces are replaced a limited number of times', async () => {
  const some = made({ oldNonces: 2 })
  await orderCertificate(['git.example.com'], some.acme)
  await some.end()
  const all = made({ oldNonces: 1000 })
  const error = await orderCertificate(['git.example.com'], all.acme).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AcmeError)
  expect(error).toMatchObject({ type: 'badNonce' })
  await all.end()
})

test('a failed challenge reports the reason of the authority', async () => {
  const { acme, end, authority } = made({}, { answer: () => () => {} })
  const error = await orderCertificate(['git.example.com'], acme).catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('could not see that git.example.com is ours: saw nothing')
  expect(authority.seen.csrs).toEqual([])
  await end()
})

test('other tools can read a self-signed certificate with its challenge', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = selfSigned({
    names: ['git.example.com'],
    key: privateKey,
    from: Date.parse('2026-01-01T00:00:00Z'),
    until: Date.parse('2051-01-01T00:00:00Z'),
    challenge: new Uint8Array(32).fill(7),
  })
  const read = execFileSync('openssl', ['x509', '-noout', '-text'], { input: pem }).toString()
  expect(read).toContain('1.3.6.1.5.5.7.1.31: critical')
  expect(new X509Certificate(pem).verify(new X509Certificate(pem).publicKey)).toBe(true)
  expect(readDates(pem)).toEqual({
    from: Date.parse('2026-01-01T00:00:00Z'),
    until: Date.parse('2051-01-01T00:00:00Z'),
    names: ['git.example.com'],
  })
  expect(
    certificateRequest(
      Array.from({ length: 100 }, (_, i) => `n${i}.example.com`),
      privateKey,
    ).length,
  ).toBeGreaterThan(1000)
})
