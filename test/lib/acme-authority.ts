/**
 * A certificate authority of the tests: it holds to nonces, checks every signature with jose, and
 * looks at the challenge itself.
 */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { connect } from 'node:tls'
import {
  calculateJwkThumbprint,
  flattenedVerify,
  importJWK,
  type FlattenedJWSInput,
  type JWK,
} from 'jose'
import { selfSigned } from '#lib/x509.ts'
import type { AcmeResponse, AcmeTransport } from '#lib/acme.ts'

export type AuthorityOptions = {
  /** Where the challenge over HTTP is to be seen. */
  readonly httpPort?: () => number
  readonly tlsPort?: () => number
  /** Refuses this many nonces first. */
  readonly oldNonces?: number
  readonly days?: number
}

export function makeAuthority(options: AuthorityOptions = {}) {
  const base = 'https://authority.test'
  const nonces = new Set<string>()
  const accounts = new Map<string, JWK>()
  const authorizations = new Map<
    string,
    { domain: string; token: string; status: string; error: unknown; thumbprint: string }
  >()
  const orders = new Map<
    string,
    { domains: string[]; ids: string[]; status: string; csr: string | null }
  >()
  const seen = { csrs: [] as string[], contacts: [] as unknown[], posts: [] as string[] }
  let old = options.oldNonces ?? 0
  let made = 0
  const id = () => String(++made)
  const newNonce = () => {
    const nonce = crypto.randomUUID()
    nonces.add(nonce)
    return nonce
  }
  const answer = (
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ): AcmeResponse => ({
    status,
    headers: { 'replay-nonce': newNonce(), ...headers },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  })
  const problem = (status: number, type: string, detail: string) =>
    answer(status, { type: `urn:ietf:params:acme:error:${type}`, detail })

  const look = async (
    one: { domain: string; token: string; status: string; error: unknown; thumbprint: string },
    kind: string,
  ) => {
    const wanted = `${one.token}.${one.thumbprint}`
    const shown = kind === 'http-01' ? await overHttp(one.token) : await overTls(one.domain)
    const right =
      kind === 'http-01'
        ? shown === wanted
        : shown.endsWith(createHash('sha256').update(wanted).digest('hex'))
    one.status = right ? 'valid' : 'invalid'
    if (!right)
      one.error = {
        type: 'urn:ietf:params:acme:error:unauthorized',
        detail: `saw ${shown.slice(0, 40)}`,
      }
  }
  const overHttp = async (token: string) =>
    (
      await fetch(
        `http://127.0.0.1:${options.httpPort?.() ?? 0}/.well-known/acme-challenge/${token}`,
      )
    ).text()
  /** The extension of the challenge is the last in the certificate before its signature. */
  const overTls = (domain: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(
        {
          host: '127.0.0.1',
          port: options.tlsPort?.() ?? 0,
          servername: domain,
          rejectUnauthorized: false,
          ALPNProtocols: ['acme-tls/1'],
        },
        () => {
          const { raw } = socket.getPeerCertificate()
          const at = raw.indexOf(Buffer.from('06082b0601050507011f0101ff04220420', 'hex'))
          resolve(
            at < 0 || socket.alpnProtocol !== 'acme-tls/1'
              ? 'nothing'
              : raw.subarray(at + 17, at + 17 + 32).toString('hex'),
          )
          socket.end()
        },
      )
      socket.on('error', (error) => resolve(error.message))
    })

  const transport: AcmeTransport = async (url, { method, body }) => {
    const path = url.slice(base.length)
    if (path === '/directory')
      return answer(200, {
        newNonce: `${base}/nonce`,
        newAccount: `${base}/account`,
        newOrder: `${base}/order`,
      })
    if (path === '/nonce') return answer(200, '')
    if (method !== 'POST') return problem(405, 'malformed', 'only POST')
    const jws = JSON.parse(body ?? '') as FlattenedJWSInput
    const header = JSON.parse(Buffer.from(jws.protected ?? '', 'base64url').toString()) as {
      nonce: string
      url: string
      alg: string
      jwk?: JWK
      kid?: string
    }
    if (!nonces.delete(header.nonce) || old-- > 0)
      return problem(400, 'badNonce', 'this nonce is old')
    const jwk = header.kid ? accounts.get(header.kid) : header.jwk
    if (!jwk || (header.kid !== undefined) === (header.jwk !== undefined) || header.url !== url)
      return problem(400, 'malformed', 'the header is wrong')
    const { payload } = await flattenedVerify(jws, await importJWK(jwk, 'ES256'), {
      algorithms: ['ES256'],
    })
    const text = Buffer.from(payload).toString()
    const given = (text === '' ? null : JSON.parse(text)) as Record<string, unknown> | null
    seen.posts.push(path)
    if (path === '/account') {
      seen.contacts.push(given?.contact)
      const kid = `${base}/account/${await calculateJwkThumbprint(jwk)}`
      accounts.set(kid, jwk)
      return answer(201, { status: 'valid' }, { location: kid })
    }
    const thumbprint = await calculateJwkThumbprint(jwk)
    const order = (key: string) => {
      const one = orders.get(key)!
      if (
        one.status === 'pending' &&
        one.ids.every((name) => authorizations.get(name)?.status === 'valid')
      )
        one.status = 'ready'
      return {
        status: one.status,
        authorizations: one.ids.map((name) => `${base}/authz/${name}`),
        finalize: `${base}/finalize/${key}`,
        ...(one.status === 'valid' ? { certificate: `${base}/certificate/${key}` } : {}),
      }
    }
    if (path === '/order') {
      const key = id()
      const domains = ((given?.identifiers ?? []) as { value: string }[]).map(({ value }) => value)
      const ids = domains.map((domain) => {
        const name = id()
        authorizations.set(name, {
          domain,
          token: crypto.randomUUID(),
          status: 'pending',
          error: null,
          thumbprint,
        })
        return name
      })
      orders.set(key, { domains, ids, status: 'pending', csr: null })
      return answer(201, order(key), { location: `${base}/order/${key}` })
    }
    const [, what = '', key = '', kind = ''] = path.split('/')
    if (what === 'order') return answer(200, order(key), { 'retry-after': '0' })
    if (what === 'authz') {
      const one = authorizations.get(key)!
      const challenges = ['dns-01', 'http-01', 'tls-alpn-01'].map((type) => ({
        type,
        url: `${base}/challenge/${key}/${type}`,
        token: one.token,
        status: one.status,
        ...(one.error ? { error: one.error } : {}),
      }))
      return answer(
        200,
        { status: one.status, identifier: { type: 'dns', value: one.domain }, challenges },
        { 'retry-after': '0' },
      )
    }
    if (what === 'challenge') {
      await look(authorizations.get(key)!, kind)
      return answer(200, { status: 'processing' })
    }
    const one = orders.get(key)!
    if (what === 'finalize') {
      if (order(key).status !== 'ready') return problem(403, 'orderNotReady', 'not yet')
      seen.csrs.push(String(given?.csr))
      one.status = 'valid'
      return answer(200, order(key))
    }
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const now = Date.parse('2026-03-01T12:00:00Z')
    return answer(
      200,
      selfSigned({
        names: one.domains,
        key: privateKey,
        from: now,
        until: now + (options.days ?? 90) * 86_400_000,
      }),
    )
  }
  return { transport, seen, directory: `${base}/directory` }
}
