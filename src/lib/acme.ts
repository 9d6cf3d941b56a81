/**
 * Certificates from an authority that speaks ACME (RFC 8555): an account, an order, a challenge for
 * each name answered over HTTP (section 8.3) or in a TLS handshake (RFC 8737), and the certificate.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { calculateJwkThumbprint, FlattenedSign, type JWK } from 'jose'
import { certificateRequest } from './x509.ts'

/** What went wrong with an authority; its text is for whoever keeps the site. */
export class AcmeError extends Error {
  constructor(
    message: string,
    /** The authority's word for it, without its common beginning (`badNonce`). */
    readonly type: string | null = null,
    /** Seconds that it asks to be left alone. */
    readonly retryAfter: number | null = null,
  ) {
    super(message)
    this.name = 'AcmeError'
  }
}

export type AcmeResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}
/** Makes one request; over https, to the authority and nobody else. */
export type AcmeTransport = (
  url: string,
  request: { method: 'GET' | 'HEAD' | 'POST'; headers: Record<string, string>; body?: string },
) => Promise<AcmeResponse>

export type ChallengeKind = 'http-01' | 'tls-alpn-01'

export type AcmeOptions = {
  readonly directory: string
  /** PEM of the account's key, on the curve P-256. */
  readonly accountKey: string
  readonly email: string | null
  readonly transport: AcmeTransport
  readonly challenge: ChallengeKind
  /**
   * Makes the answer to a challenge be there before it resolves; what it gives takes the answer
   * away.
   */
  readonly answer: (
    domain: string,
    token: string,
    keyAuthorization: string,
  ) => Promise<() => void> | (() => void)
  readonly wait?: (ms: number) => Promise<void>
  readonly signal?: AbortSignal
}

type Directory = {
  newNonce: string
  newAccount: string
  newOrder: string
  meta?: { termsOfService?: string }
}
type Problem = {
  type?: string
  detail?: string
  subproblems?: { detail?: string; identifier?: { value?: string } }[]
}
type Challenge = { type: string; url: string; token: string; status: string; error?: Problem }
type Authorization = { status: string; identifier: { value: string }; challenges: Challenge[] }
type Order = {
  status: string
  authorizations: string[]
  finalize: string
  certificate?: string
  error?: Problem
}
type Answer<T> = {
  readonly body: T
  readonly text: string
  readonly location: string | null
  readonly retryAfter: number | null
}

const PREFIX = 'urn:ietf:params:acme:error:'
const MAX_NONCE_TRIES = 5
const MAX_POLLS = 60
const SOON_MS = 1000
const LATEST_MS = 30_000

export const newAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

const words = ({ detail, type, subproblems }: Problem): string =>
  [
    detail ?? type ?? 'no reason was given',
    ...(subproblems ?? []).map((one) => `${one.identifier?.value ?? ''}: ${one.detail ?? ''}`),
  ]
    .join('; ')
    .slice(0, 500)

class Client {
  #directory: Directory | null = null
  #nonce: string | null = null
  #account: string | null = null
  readonly #key: KeyObject
  readonly jwk: JWK

  constructor(private readonly options: AcmeOptions) {
    this.#key = createPrivateKey(options.accountKey)
    const { kty, crv, x, y } = createPublicKey(this.#key).export({ format: 'jwk' })
    this.jwk = { kty, crv, x, y } as JWK
  }

  async directory(): Promise<Directory> {
    if (this.#directory) return this.#directory
    const { status, body } = await this.options.transport(this.options.directory, {
      method: 'GET',
      headers: {},
    })
    if (status !== 200)
      throw new AcmeError(`${this.options.directory} answered ${status} and not with a directory`)
    return (this.#directory = JSON.parse(Buffer.from(body).toString()) as Directory)
  }

  async #takeNonce(): Promise<string> {
    const kept = this.#nonce
    this.#nonce = null
    if (kept !== null) return kept
    const { headers } = await this.options.transport((await this.directory()).newNonce, {
      method: 'HEAD',
      headers: {},
    })
    const fresh = headers['replay-nonce']
    if (typeof fresh !== 'string') throw new AcmeError('the authority gave no nonce')
    return fresh
  }

  /**
   * Sends a signed request (section 6.2); no payload reads (section 6.3). A nonce that has become
   * old is replaced.
   */
  async post<T>(url: string, payload: unknown = null): Promise<Answer<T>> {
    for (let attempt = 1; ; attempt++) {
      this.options.signal?.throwIfAborted()
      const header = {
        alg: 'ES256',
        nonce: await this.#takeNonce(),
        url,
        ...(this.#account === null ? { jwk: this.jwk } : { kid: this.#account }),
      }
      const jws = await new FlattenedSign(
        Buffer.from(payload === null ? '' : JSON.stringify(payload)),
      )
        .setProtectedHeader(header)
        .sign(this.#key)
      const { status, headers, body } = await this.options.transport(url, {
        method: 'POST',
        headers: { 'content-type': 'application/jose+json' },
        body: JSON.stringify(jws),
      })
      const nonce = headers['replay-nonce']
      if (typeof nonce === 'string') this.#nonce = nonce
      const text = Buffer.from(body).toString()
      const after = Number(headers['retry-after'])
      const retryAfter = Number.isFinite(after) ? after : null
      if (status >= 200 && status < 300) {
        const location = headers.location
        return {
          text,
          body: (text.startsWith('{') ? JSON.parse(text) : null) as T,
          location: typeof location === 'string' ? location : null,
          retryAfter,
        }
      }
      const problem = text.startsWith('{') ? (JSON.parse(text) as Problem) : {}
      const type = problem.type?.startsWith(PREFIX) ? problem.type.slice(PREFIX.length) : null
      if (type === 'badNonce' && attempt < MAX_NONCE_TRIES) continue
      throw new AcmeError(
        `the authority refused (${status}${type ? `, ${type}` : ''}): ${words(problem)}`,
        type,
        retryAfter,
      )
    }
  }

  /** The account of the key, made when there is none (section 7.3). */
  async register(): Promise<void> {
    const { newAccount } = await this.directory()
    const { location } = await this.post(newAccount, {
      termsOfServiceAgreed: true,
      ...(this.options.email ? { contact: [`mailto:${this.options.email}`] } : {}),
    })
    if (location === null) throw new AcmeError('the authority gave the account no address')
    this.#account = location
  }

  /** Asks until the state is another than these, at the pace that the authority asks for. */
  async settled<T extends { status: string }>(
    url: string,
    meanwhile: readonly string[],
  ): Promise<T> {
    const wait =
      this.options.wait ??
      ((ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)))
    for (let look = 0; look < MAX_POLLS; look++) {
      const { body, retryAfter } = await this.post<T>(url)
      if (!meanwhile.includes(body.status)) return body
      await wait(Math.min(LATEST_MS, retryAfter === null ? SOON_MS : retryAfter * 1000))
    }
    throw new AcmeError(`the authority did not come to a decision about ${url}`)
  }
}

/**
 * Shows that we hold one name. Gives AcmeError with the authority's reason when it does not think
 * so.
 */
async function prove(client: Client, options: AcmeOptions, url: string): Promise<void> {
  const { body } = await client.post<Authorization>(url)
  if (body.status === 'valid') return
  const domain = body.identifier.value
  const challenge = body.challenges.find(({ type }) => type === options.challenge)
  if (!challenge)
    throw new AcmeError(
      `the authority does not offer ${options.challenge} for ${domain}, only ${body.challenges.map(({ type }) => type).join(', ')}`,
    )
  const takeAway = await options.answer(
    domain,
    challenge.token,
    `${challenge.token}.${await calculateJwkThumbprint(client.jwk)}`,
  )
  try {
    await client.post(challenge.url, {})
    const end = await client.settled<Authorization>(url, ['pending'])
    const error = end.challenges.find(({ error: one }) => one)?.error
    if (end.status !== 'valid')
      throw new AcmeError(
        `the authority could not see that ${domain} is ours: ${words(error ?? {})}`,
        error?.type?.replace(PREFIX, '') ?? null,
      )
  } finally {
    takeAway()
  }
}

/**
 * Gets a certificate for names, with a new key; both in PEM, the certificate with those that vouch
 * for it.
 */
export async function orderCertificate(
  domains: readonly string[],
  options: AcmeOptions,
): Promise<{ cert: string; key: string }> {
  const client = new Client(options)
  await client.register()
  const { newOrder } = await client.directory()
  const { body: order, location } = await client.post<Order>(newOrder, {
    identifiers: domains.map((name) => ({ type: 'dns', value: name })),
  })
  if (location === null) throw new AcmeError('the authority gave the order no address')
  for (const url of order.authorizations) await prove(client, options, url)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await client.settled<Order>(location, ['pending'])
  await client.post(order.finalize, {
    csr: certificateRequest(domains, privateKey).toString('base64url'),
  })
  const done = await client.settled<Order>(location, ['pending', 'ready', 'processing'])
  if (done.status !== 'valid' || done.certificate === undefined)
    throw new AcmeError(`the order ended as ${done.status}: ${words(done.error ?? {})}`)
  const { text } = await client.post(done.certificate)
  return { cert: text, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
}

/** What the certificate for the challenge in a handshake holds (RFC 8737 section 3). */
export const challengeDigest = (keyAuthorization: string): Uint8Array =>
  createHash('sha256').update(keyAuthorization).digest()
