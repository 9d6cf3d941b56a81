/**
 * Access to git repositories on other servers: which addresses are allowed, and with which
 * credentials.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Transport, TransportRequest } from '#git'
import { outboundClient } from '#core/outbound.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { checkSshRemote, isSshAddress, sshTransport, type SshAccess } from './ssh-remote.ts'

/**
 * A remote may count objects for a while before the first byte. It then sends keep-alive messages.
 */
const IDLE_TIMEOUT_MS = 2 * MINUTE
const TOTAL_TIMEOUT_MS = 6 * HOUR
/** Allowed beyond the largest pack, for refs and progress messages. */
const EXTRA_BYTES = 512 << 20
const MAX_REDIRECTS = 5

export type RemoteAccess = {
  readonly url: string
  /** A token, or `name:password`; null for public access. */
  readonly secret: string | null
  /** For addresses of SSH, which take nothing else. */
  readonly ssh?: SshAccess
}

/**
 * Parses a clone address over HTTP. Throws OutboundError with the problem, and with the forms of
 * address that are allowed where it is used.
 */
export function parseRemote(text: string, forms = 'an address that begins with https://'): URL {
  const url = URL.parse(text.trim())
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new OutboundError(`it must be ${forms}`, 'blocked_address')
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('an address must not hold a name or password', 'blocked_address')
  if (url.search !== '' || url.hash !== '')
    throw new OutboundError('the address of a repository has no ? or #', 'blocked_address')
  url.pathname = trimTrailingSlashes(url.pathname)
  return url
}

/**
 * Checks that the address is allowed by the current settings. Throws OutboundError with the reason.
 */
export async function checkRemote(
  { settings }: Pick<Hearth, 'settings'>,
  { url, secret }: RemoteAccess,
): Promise<void> {
  if (isSshAddress(url)) return await checkSshRemote({ settings }, url)
  await outboundClient({ settings }).checkAddress(parseRemote(url), { allowHttp: secret === null })
}

/**
 * Basic credentials as git hosts accept them: a token is the password, under a username that all of
 * them ignore.
 */
export const basicCredentials = (secret: string): string =>
  `Basic ${Buffer.from(secret.includes(':') ? secret : `x-access-token:${secret}`).toString('base64')}`

/** A request that changes nothing may be sent again when its kept connection was closed meanwhile. */
const isRead = ({ url, body }: TransportRequest): boolean =>
  body === null || (body instanceof Uint8Array && url.endsWith('/git-upload-pack'))

/**
 * Creates the transport for one conversation with a remote. Every connection is pinned to the
 * checked address. Only the first request may be redirected, and the secret is sent only to its own
 * origin. With a secret the connection must be encrypted, unless an administrator allows otherwise.
 */
export function remoteTransport(
  { settings }: Pick<Hearth, 'settings'>,
  { url, secret, ssh }: RemoteAccess,
): Transport {
  if (ssh) return sshTransport({ settings }, url, ssh)
  const client = outboundClient({ settings })
  const { origin } = parseRemote(url)
  return async (request) => {
    const at = new URL(request.url)
    const answer = await client.open(at, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      authorization: secret !== null && at.origin === origin ? basicCredentials(secret) : null,
      ...(request.redirect ? { redirects: MAX_REDIRECTS } : {}),
      allowHttp: secret === null,
      keepAlive: isRead(request),
      timeoutMs: TOTAL_TIMEOUT_MS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      maxBytes: settings.git.max_pack_bytes + EXTRA_BYTES,
      ...(request.signal ? { signal: request.signal } : {}),
    })
    return {
      status: answer.status,
      header: (name) => answer.headers[name] ?? null,
      url: answer.url.href,
      body: answer.body,
    }
  }
}
