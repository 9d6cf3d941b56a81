/**
 * Where the certificate of the site comes from while it serves: files of one's own, or an authority
 * that speaks ACME. What an authority gave is kept in the data directory; the account's key is
 * sealed with the installation's.
 */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer as createTls, type Server } from 'node:tls'
import { join } from 'node:path'
import { seal, unseal } from '#features/accounts/index.ts'
import type { Certificate } from '#http/certificate-files.ts'
import type { Settings } from '#core/settings.ts'
import {
  AcmeError,
  challengeDigest,
  newAccountKey,
  orderCertificate,
  type AcmeTransport,
  type ChallengeKind,
} from '#lib/acme.ts'
import type { Log } from '#lib/log.ts'
import { parseOutboundRules, requestOutside } from '#lib/outbound.ts'
import { DAY, HOUR, MINUTE, SECOND, type Clock } from '#lib/time.ts'
import { readDates, selfSigned } from '#lib/x509.ts'

export type AcmeSettings = {
  readonly domains: readonly string[]
  readonly email: string | null
  readonly directory: string
  readonly challenge: ChallengeKind
  /**
   * PEM of the authority of the directory's own certificate, for one inside a company; null for
   * those that everybody knows.
   */
  readonly ca: string | null
}

export const ALPN_CHALLENGE = 'acme-tls/1'

/** Keeps a certificate that an authority gave, and renews it. */
export type CertificateKeeper = {
  /** The one to begin with; one that signs itself while there is no other. */
  readonly first: Certificate
  /** What is answered at `/.well-known/acme-challenge/`. */
  readonly tokenAnswer: (token: string) => string | null
  /** The port of this machine where a challenge in a handshake is answered now. */
  readonly alpnPort: () => number | null
  /** Gets or renews what is due, now and from then on. */
  start(changed: (certificate: Certificate) => void): void
  /** One look: whether a new certificate was got. Gives AcmeError and OutboundError. */
  renew(): Promise<Certificate | null>
  stop(): void
}

const LOOK_EVERY = 6 * HOUR
const AGAIN_FIRST = 5 * MINUTE

/** When a third of its time is left; short ones are renewed at half. */
const isDue = (cert: string, domains: readonly string[], now: number): boolean => {
  const { from, until, names } = readDates(cert)
  const whole = until - from
  return (
    domains.some((name) => !names.includes(name)) ||
    now > until - (whole < 20 * DAY ? whole / 2 : whole / 3)
  )
}

function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export function keepCertificate(
  acme: AcmeSettings,
  site: { settings: Pick<Settings, 'data' | 'version'> },
  { log, clock }: { log: Log; clock: Clock },
): CertificateKeeper {
  const { settings } = site
  const directory = join(settings.data, 'secrets', 'acme')
  const [certPath, keyPath, accountPath] = [
    'certificate.pem',
    'certificate.key',
    'account.sealed',
  ].map((name) => join(directory, name)) as [string, string, string]
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // The purpose of a seal is bound to the site's settings, of which only the data directory counts
  // here.
  const place = site as Parameters<typeof seal>[0]
  const purpose = 'acme account'

  const kept = (): Certificate | null =>
    existsSync(certPath) && existsSync(keyPath)
      ? { cert: readFileSync(certPath, 'utf8'), key: readFileSync(keyPath, 'utf8') }
      : null
  const accountKey = (): string => {
    const known = existsSync(accountPath)
      ? unseal(place, purpose, readFileSync(accountPath, 'utf8').trim())
      : null
    if (known !== null) return known
    const made = newAccountKey()
    writePrivate(accountPath, `${seal(place, purpose, made)}\n`)
    return made
  }
  const placeholder = (): Certificate => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const now = clock.now()
    return {
      cert: selfSigned({
        names: acme.domains,
        key: privateKey,
        from: now - HOUR,
        until: now + 7 * DAY,
      }),
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    }
  }

  const tokens = new Map<string, string>()
  let alpn: { readonly server: Server; readonly port: number } | null = null
  const { hostname } = new URL(acme.directory)
  // The authority is named by whoever keeps the site, so it may be inside.
  const rules = parseOutboundRules([hostname.replace(/^\[|\]$/g, '')])
  const stopping = new AbortController()
  const transport: AcmeTransport = (url, { method, headers, body }) =>
    requestOutside(new URL(url), {
      rules,
      method,
      body,
      timeout: 30 * SECOND,
      maxBytes: 1024 ** 2,
      signal: stopping.signal,
      ...(acme.ca === null ? {} : { ca: acme.ca }),
      headers: {
        ...headers,
        'user-agent': `hearth/${settings.version}`,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
    })

  const answerOverTls = async (domain: string, keyAuthorization: string): Promise<() => void> => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const now = clock.now()
    const cert = selfSigned({
      names: [domain],
      key: privateKey,
      from: now - HOUR,
      until: now + DAY,
      challenge: challengeDigest(keyAuthorization),
    })
    const server = createTls(
      {
        cert,
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
        ALPNProtocols: [ALPN_CHALLENGE],
      },
      (socket) => socket.end(),
    )
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve())
    })
    alpn = { server, port: (server.address() as { port: number }).port }
    return () => {
      alpn = null
      server.close()
    }
  }
  const answer = (
    domain: string,
    token: string,
    keyAuthorization: string,
  ): Promise<() => void> | (() => void) => {
    if (acme.challenge === 'tls-alpn-01') return answerOverTls(domain, keyAuthorization)
    tokens.set(token, keyAuthorization)
    return () => void tokens.delete(token)
  }

  const renew = async (): Promise<Certificate | null> => {
    const now = kept()
    if (now !== null && !isDue(now.cert, acme.domains, clock.now())) return null
    const made = await orderCertificate(acme.domains, {
      directory: acme.directory,
      accountKey: accountKey(),
      email: acme.email,
      transport,
      challenge: acme.challenge,
      answer,
      signal: stopping.signal,
    })
    createPrivateKey(made.key)
    // The key first: a certificate whose key is lost is worth nothing.
    writePrivate(keyPath, made.key)
    writePrivate(certPath, made.cert)
    return made
  }

  let timer: ReturnType<typeof setTimeout> | null = null
  let failures = 0
  return {
    first: kept() ?? placeholder(),
    tokenAnswer: (token) => tokens.get(token) ?? null,
    alpnPort: () => alpn?.port ?? null,
    renew,
    start(changed) {
      const look = async (): Promise<void> => {
        let next = LOOK_EVERY
        try {
          const made = await renew()
          failures = 0
          if (made) {
            changed(made)
            log.info('a certificate was got', {
              domains: acme.domains,
              until: new Date(readDates(made.cert).until).toISOString(),
            })
          }
        } catch (error) {
          if (stopping.signal.aborted) return
          // Authorities count failures, so each makes the next try later.
          const asked = error instanceof AcmeError ? (error.retryAfter ?? 0) * SECOND : 0
          next = Math.max(asked, Math.min(LOOK_EVERY, AGAIN_FIRST * 2 ** failures++))
          log.error('no certificate could be got', {
            domains: acme.domains,
            directory: acme.directory,
            error,
            again_in_minutes: Math.round(next / MINUTE),
          })
        }
        if (stopping.signal.aborted) return
        timer = setTimeout(() => void look(), Math.min(next, DAY))
        timer.unref()
      }
      void look()
    },
    stop() {
      stopping.abort()
      if (timer) clearTimeout(timer)
      alpn?.server.close()
    },
  }
}
