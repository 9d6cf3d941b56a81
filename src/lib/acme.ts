/**
 * A client for ACME (RFC 8555): it registers an account, places an order, answers a challenge for
 * each name over HTTP (section 8.3) or in a TLS handshake (RFC 8737), and fetches the certificate.
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

/** An authority refused or failed. The message is for administrators. */
export class AcmeError extends Error {
  constructor(
    message: string,
    /** The type of the problem without its common prefix (`badNonce`). */
    readonly type: string | null = null,
    /** The seconds of its `Retry-After` header. */
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
/** Sends one request over https to the authority, and to no other host. */
export type AcmeTransport = (
  url: string,
  request: { method: 'GET' | 'HEAD' | 'POST'; headers: Record<string, string>; body?: string },
) => Promise<AcmeResponse>

export type ChallengeKind = 'http-01' | 'tls-alpn-01'

export type AcmeOptions = {
  readonly directory: string
  /** The key of the account in PEM, on the curve P-256. */
  readonly accountKey: string
  readonly email: string | null
  readonly transport: AcmeTransport
  readonly challenge: ChallengeKind
  /** Publishes the response to a challenge before it resolves. The result removes the response. */
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
type SignedResponse<T> = {
  readonly body: T
  readonly text: string
  readonly location: string | null
  readonly retryAfter: number | null
}

const PROBLEM_PREFIX = 'urn:ietf:params:acme:error:'
const MAX_NONCE_TRIES = 5
const MAX_POLLS = 60
const DEFAULT_POLL_MS = 1000
const MAX_POLL_MS = 30_000

export const newAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

const describeProblem = ({ detail, type, subproblems }: Problem): string =>
  [
    detail ?? type ?? 'no reason was given',
    ...(subproblems ?? []).map((one) => `${one.identifier?.value ?? ''}: ${one.detail ?? ''}`),
  ]
    .join('; ')
    .slice(0, 500)

class AcmeClient {
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
   * Sends a signed request (section 6.2). Without a payload it reads (POST-as-GET, section 6.3). An
   * expired nonce is replaced.
   */
  async post<T>(url: string, payload: unknown = null): Promise<SignedResponse<T>> {
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
      const type = problem.type?.startsWith(PROBLEM_PREFIX)
        ? problem.type.slice(PROBLEM_PREFIX.length)
        : null
      if (type === 'badNonce' && attempt < MAX_NONCE_TRIES) continue
      throw new AcmeError(
        `the authority refused (${status}${type ? `, ${type}` : ''}): ${describeProblem(problem)}`,
        type,
        retryAfter,
      )
    }
  }

  /** Finds or creates the account of the key (section 7.3). */
  async register(): Promise<void> {
    const { newAccount } = await this.directory()
    const { location } = await this.post(newAccount, {
      termsOfServiceAgreed: true,
      ...(this.options.email ? { contact: [`mailto:${this.options.email}`] } : {}),
    })
    if (location === null) throw new AcmeError('the authority gave the account no address')
    this.#account = location
  }

  /** Polls until the status is none of `pending`, in the interval that the authority requests. */
  async poll<T extends { status: string }>(url: string, pending: readonly string[]): Promise<T> {
    const wait =
      this.options.wait ??
      ((ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)))
    for (let attempt = 0; attempt < MAX_POLLS; attempt++) {
      const { body, retryAfter } = await this.post<T>(url)
      if (!pending.includes(body.status)) return body
      await wait(Math.min(MAX_POLL_MS, retryAfter === null ? DEFAULT_POLL_MS : retryAfter * 1000))
    }
    throw new AcmeError(`the authority did not come to a decision about ${url}`)
  }
}

/** Completes the challenge of one name. Throws AcmeError with the reason of the authority. */
async function completeChallenge(
  client: AcmeClient,
  options: AcmeOptions,
  url: string,
): Promise<void> {
  const { body } = await client.post<Authorization>(url)
  if (body.status === 'valid') return
  const domain = body.identifier.value
  const challenge = body.challenges.find(({ type }) => type === options.challenge)
  if (!challenge)
    throw new AcmeError(
      `the authority does not offer ${options.challenge} for ${domain}, only ${body.challenges.map(({ type }) => type).join(', ')}`,
    )
  const removeAnswer = await options.answer(
    domain,
    challenge.token,
    `${challenge.token}.${await calculateJwkThumbprint(client.jwk)}`,
  )
  try {
    await client.post(challenge.url, {})
    const end = await client.poll<Authorization>(url, ['pending'])
    const error = end.challenges.find(({ error: one }) => one)?.error
    if (end.status !== 'valid')
      throw new AcmeError(
        `the authority could not see that ${domain} is ours: ${describeProblem(error ?? {})}`,
        error?.type?.replace(PROBLEM_PREFIX, '') ?? null,
      )
  } finally {
    removeAnswer()
  }
}

/** Orders a certificate for names with a new key. Both are PEM, the certificate with its chain. */
export async function orderCertificate(
  domains: readonly string[],
  options: AcmeOptions,
): Promise<{ cert: string; key: string }> {
  const client = new AcmeClient(options)
  await client.register()
  const { newOrder } = await client.directory()
  const { body: order, location } = await client.post<Order>(newOrder, {
    identifiers: domains.map((name) => ({ type: 'dns', value: name })),
  })
  if (location === null) throw new AcmeError('the authority gave the order no address')
  for (const url of order.authorizations) await completeChallenge(client, options, url)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await client.poll<Order>(location, ['pending'])
  await client.post(order.finalize, {
    csr: certificateRequest(domains, privateKey).toString('base64url'),
  })
  const done = await client.poll<Order>(location, ['pending', 'ready', 'processing'])
  if (done.status !== 'valid' || done.certificate === undefined)
    throw new AcmeError(`the order ended as ${done.status}: ${describeProblem(done.error ?? {})}`)
  const { text } = await client.post(done.certificate)
  return { cert: text, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
}

/** The digest in the certificate of a handshake challenge (RFC 8737 section 3). */
export const challengeDigest = (keyAuthorization: string): Uint8Array =>
  createHash('sha256').update(keyAuthorization).digest()
