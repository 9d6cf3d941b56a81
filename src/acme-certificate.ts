/**
 * The certificate of the site from an authority that speaks ACME, renewed while the forge serves.
 * It is stored in the data directory. The key of the account is sealed with the installation's key.
 */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer, type Server } from 'node:tls'
import { join } from 'node:path'
import { Sealer } from '#features/accounts/index.ts'
import type { Certificate } from '#http/listener/certificate-files.ts'
import type { Settings } from '#core/settings.ts'
import {
  AcmeError,
  challengeDigest,
  newAccountKey,
  orderCertificate,
  type AcmeTransport,
} from '#lib/acme.ts'
import type { Log } from '#lib/log.ts'
import { OutboundClient, parseOutboundRules } from '#lib/outbound/outbound.ts'
import { DAY, HOUR, MINUTE, SECOND, type Clock } from '#lib/time.ts'
import { readDates, selfSigned } from '#lib/x509.ts'
import type { TlsConfig } from './config-tls.ts'

export type AcmeSettings = NonNullable<TlsConfig['acme']>

/** The protocol of a challenge in a TLS handshake (RFC 8737). */
export const ALPN_CHALLENGE = 'acme-tls/1'

const CHECK_INTERVAL_MS = 6 * HOUR
const FIRST_RETRY_MS = 5 * MINUTE
const REQUEST_TIMEOUT_MS = 30 * SECOND
const MAX_RESPONSE_BYTES = 1024 ** 2
const SHORT_LIVED_MS = 20 * DAY
const ACCOUNT_PURPOSE = 'acme account'

/** Whether a third of its time is left; of certificates shorter than 20 days, half. */
function isDue(cert: string, domains: readonly string[], nowMs: number): boolean {
  const { from, until, names } = readDates(cert)
  const lifetimeMs = until - from
  const renewBeforeMs = lifetimeMs < SHORT_LIVED_MS ? lifetimeMs / 2 : lifetimeMs / 3
  return domains.some((name) => !names.includes(name)) || nowMs > until - renewBeforeMs
}

function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** A certificate that signs itself, with its new key; `challenge` is for RFC 8737. */
function selfSignedCertificate(
  names: readonly string[],
  times: { from: number; until: number },
  challenge?: Uint8Array,
): Certificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    cert: selfSigned({ names, key: privateKey, ...times, ...(challenge ? { challenge } : {}) }),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** The files of one certificate and its account in `secrets/acme` of the data directory. */
class CertificateFiles {
  readonly #sealer: Sealer
  readonly #certPath: string
  readonly #keyPath: string
  readonly #accountPath: string

  constructor(data: string) {
    const directory = join(data, 'secrets', 'acme')
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#sealer = new Sealer(data)
    this.#certPath = join(directory, 'certificate.pem')
    this.#keyPath = join(directory, 'certificate.key')
    this.#accountPath = join(directory, 'account.sealed')
  }

  /** Null before the first certificate. */
  read(): Certificate | null {
    return existsSync(this.#certPath) && existsSync(this.#keyPath)
      ? { cert: readFileSync(this.#certPath, 'utf8'), key: readFileSync(this.#keyPath, 'utf8') }
      : null
  }

  write({ cert, key }: Certificate): void {
    // The key is written first, because a certificate without its key is useless.
    writePrivate(this.#keyPath, key)
    writePrivate(this.#certPath, cert)
  }

  /** The key of the account at the authority, created when there is none. */
  accountKey(): string {
    const stored = existsSync(this.#accountPath)
      ? this.#sealer.unseal(ACCOUNT_PURPOSE, readFileSync(this.#accountPath, 'utf8').trim())
      : null
    if (stored !== null) return stored
    const key = newAccountKey()
    writePrivate(this.#accountPath, `${this.#sealer.seal(ACCOUNT_PURPOSE, key)}\n`)
    return key
  }
}

export class AcmeCertificate {
  /** The stored certificate; a self-signed one before the first. */
  readonly initial: Certificate
  readonly #files: CertificateFiles
  readonly #client: OutboundClient
  readonly #stopping = new AbortController()
  /** Open http-01 challenges: the key authorizations by their tokens. */
  readonly #tokens = new Map<string, string>()
  /** The server of an open tls-alpn-01 challenge. */
  #challengeServer: { readonly server: Server; readonly port: number } | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #failureCount = 0

  constructor(
    private readonly acme: AcmeSettings,
    private readonly settings: Pick<Settings, 'data' | 'version'>,
    private readonly log: Log,
    private readonly clock: Clock,
  ) {
    this.#files = new CertificateFiles(settings.data)
    // The administrator names the authority, so it may have a private address.
    const { hostname } = new URL(acme.directory)
    this.#client = new OutboundClient(parseOutboundRules([hostname.replace(/^\[|\]$/g, '')]))
    const now = clock.now()
    this.initial =
      this.#files.read() ??
      selfSignedCertificate(acme.domains, { from: now - HOUR, until: now + 7 * DAY })
  }

  /** The response at `/.well-known/acme-challenge/<token>`; null for an unknown token. */
  tokenResponse(token: string): string | null {
    return this.#tokens.get(token) ?? null
  }

  /** The local port of the server that answers a handshake challenge; null when none is open. */
  alpnPort(): number | null {
    return this.#challengeServer?.port ?? null
  }

  /** Orders a certificate when it is due, now and from then on. */
  start(onChange: (certificate: Certificate) => void): void {
    const check = async (): Promise<void> => {
      const delayMs = await this.#renewOrRetry(onChange)
      if (this.#stopping.signal.aborted) return
      this.#timer = setTimeout(() => void check(), Math.min(delayMs, DAY))
      this.#timer.unref()
    }
    void check()
  }

  stop(): void {
    this.#stopping.abort()
    if (this.#timer) clearTimeout(this.#timer)
    this.#challengeServer?.server.close()
  }

  /** Renews when due and logs the result. Returns the milliseconds until the next check. */
  async #renewOrRetry(onChange: (certificate: Certificate) => void): Promise<number> {
    const { domains, directory } = this.acme
    try {
      const renewed = await this.renew()
      this.#failureCount = 0
      if (renewed) {
        onChange(renewed)
        const until = new Date(readDates(renewed.cert).until).toISOString()
        this.log.info('a certificate was got', { domains, until })
      }
      return CHECK_INTERVAL_MS
    } catch (error) {
      if (this.#stopping.signal.aborted) return CHECK_INTERVAL_MS
      // Authorities limit failures, so each failure doubles the delay.
      const requestedMs = error instanceof AcmeError ? (error.retryAfter ?? 0) * SECOND : 0
      const backoffMs = FIRST_RETRY_MS * 2 ** this.#failureCount++
      const delayMs = Math.max(requestedMs, Math.min(CHECK_INTERVAL_MS, backoffMs))
      this.log.error('no certificate could be got', {
        domains,
        directory,
        error,
        again_in_minutes: Math.round(delayMs / MINUTE),
      })
      return delayMs
    }
  }

  /** A new certificate, or null when none is due. Throws AcmeError and OutboundError. */
  async renew(): Promise<Certificate | null> {
    const { domains, directory, email, challenge } = this.acme
    const current = this.#files.read()
    if (current !== null && !isDue(current.cert, domains, this.clock.now())) return null
    const certificate = await orderCertificate(domains, {
      directory,
      accountKey: this.#files.accountKey(),
      email,
      transport: this.#transport,
      challenge,
      answer: (domain, token, keyAuthorization) =>
        challenge === 'tls-alpn-01'
          ? this.#answerInHandshake(domain, keyAuthorization)
          : this.#answerOverHttp(token, keyAuthorization),
      signal: this.#stopping.signal,
    })
    // Throws for a key that cannot be used, before the stored one is replaced.
    createPrivateKey(certificate.key)
    this.#files.write(certificate)
    return certificate
  }

  readonly #transport: AcmeTransport = (url, { method, headers, body }) =>
    this.#client.request(new URL(url), {
      method,
      body,
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      signal: this.#stopping.signal,
      ...(this.acme.ca === null ? {} : { ca: this.acme.ca }),
      headers: { ...headers, 'user-agent': `hearth/${this.settings.version}` },
    })

  #answerOverHttp(token: string, keyAuthorization: string): () => void {
    this.#tokens.set(token, keyAuthorization)
    return () => void this.#tokens.delete(token)
  }

  async #answerInHandshake(domain: string, keyAuthorization: string): Promise<() => void> {
    const now = this.clock.now()
    const times = { from: now - HOUR, until: now + DAY }
    const server = createTlsServer(
      {
        ...selfSignedCertificate([domain], times, challengeDigest(keyAuthorization)),
        ALPNProtocols: [ALPN_CHALLENGE],
      },
      (socket) => socket.end(),
    )
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve())
    })
    this.#challengeServer = { server, port: (server.address() as { port: number }).port }
    return () => {
      this.#challengeServer = null
      server.close()
    }
  }
}
