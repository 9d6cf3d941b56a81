/**
 * How this forge talks to git repositories elsewhere: which addresses may be asked, and with whose
 * right.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Transport } from '#git'
import { checkedAddress, OutboundError, parseOutboundRules } from '#lib/outbound.ts'
import { openOutside } from '#lib/outbound-stream.ts'
import { HOUR, MINUTE } from '#lib/time.ts'

/**
 * A remote may count its objects for a while before the first byte; it then sends signs of life.
 */
const IDLE_MS = 2 * MINUTE
const WHOLE_MS = 6 * HOUR
/** More than the largest pack: refs and progress come on top. */
const SLACK_BYTES = 512 << 20
const MOST_REDIRECTS = 5

export type RemoteAccess = {
  readonly url: string
  /** A token, or `name:password`; null for what anyone may read. */
  readonly secret: string | null
}

/**
 * The address as one would clone it. Gives OutboundError for what is no address of a repository,
 * naming what is wrong.
 */
export function parseRemote(text: string): URL {
  const url = URL.parse(text.trim())
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new OutboundError('it must be an address that begins with https://', 'blocked_address')
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('an address must not hold a name or password', 'blocked_address')
  if (url.search !== '' || url.hash !== '')
    throw new OutboundError('the address of a repository has no ? or #', 'blocked_address')
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}

/**
 * Whether the address may be asked at all as things are now. Gives OutboundError with the reason.
 */
export async function checkRemote(
  { settings }: Pick<Hearth, 'settings'>,
  { url, secret }: RemoteAccess,
): Promise<void> {
  await checkedAddress(parseRemote(url), parseOutboundRules(settings.outbound_allow), undefined, {
    clear: secret === null,
  })
}

/**
 * Basic credentials as the hosts of repositories take them: tokens are passwords, under a name that
 * none of them minds.
 */
const basic = (secret: string): string =>
  `Basic ${Buffer.from(secret.includes(':') ? secret : `x-access-token:${secret}`).toString('base64')}`

/**
 * Makes the requests of one conversation with a remote. Every connection is checked and pinned to
 * the checked address; only the first request may be redirected, and the secret goes to no other
 * place than the one it was given for. With a secret the connection must be encrypted, unless an
 * administrator allows otherwise.
 */
export function remoteTransport(
  { settings }: Pick<Hearth, 'settings'>,
  { url, secret }: RemoteAccess,
): Transport {
  const rules = parseOutboundRules(settings.outbound_allow)
  const { origin } = parseRemote(url)
  return async (request) => {
    const at = new URL(request.url)
    const answer = await openOutside(at, {
      rules,
      method: request.method,
      headers: request.headers,
      body: request.body,
      authorization: secret !== null && at.origin === origin ? basic(secret) : null,
      ...(request.redirect ? { redirects: MOST_REDIRECTS } : {}),
      clear: secret === null,
      timeout: WHOLE_MS,
      idle: IDLE_MS,
      maxBytes: settings.git.max_pack_bytes + SLACK_BYTES,
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
