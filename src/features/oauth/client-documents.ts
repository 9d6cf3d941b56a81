/**
 * Clients whose id is the address of a document that describes them (OAuth Client ID Metadata
 * Document, https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/). The
 * document is fetched for signed-in people only, under the rules for outbound requests, and kept
 * for a day.
 */
import type { Hearth } from '#core/hearth.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { oneLine } from '#lib/one-line.ts'
import { OutboundError, parseOutboundRules, requestOutside } from '#lib/outbound.ts'
import { DAY, MINUTE, SECOND } from '#lib/time.ts'
import { oauthError } from './errors.ts'
import { redirectProblem } from './redirects.ts'

export type ClientDocument = { readonly name: string; readonly redirect_uris: readonly string[] }

const LONGEST_ADDRESS = 500
const LARGEST_DOCUMENT = 16 * 1024
const TIMEOUT = 5 * SECOND
const MOST_REDIRECTS = 50
const LONGEST_NAME = 64

/** `ca` holds more certificate authorities than the system's, in PEM. */
export type FetchOptions = { readonly signal?: AbortSignal; readonly ca?: string }

type Kept = {
  readonly until: number
  readonly document: ClientDocument | null
  readonly problem: string
}

const caches = new WeakMap<Hearth['settings'], Cache<Kept>>()

function cacheOf({ settings }: Pick<Hearth, 'settings'>): Cache<Kept> {
  let cache = caches.get(settings)
  if (!cache)
    caches.set(
      settings,
      (cache = createCache<Kept>({
        maxSize: 4 * 1024 ** 2,
        sizeOf: (kept) => 200 + JSON.stringify(kept).length,
      })),
    )
  return cache
}

export const isDocumentAddress = (client_id: string): boolean => /^https:/i.test(client_id)

/** Why an address cannot name a client (section 2 of the draft); null when it can. */
export function documentAddressProblem(client_id: string): string | null {
  if (client_id.length > LONGEST_ADDRESS) return `is longer than ${LONGEST_ADDRESS} characters`
  if (!/^https:\/\/[\x21-\x7e]+$/.test(client_id) || !URL.canParse(client_id))
    return 'is not an https address'
  const url = new URL(client_id)
  if (url.href !== client_id) return 'must be written as a browser writes it'
  if (client_id.includes('#')) return 'must not have a fragment'
  if (url.username !== '' || url.password !== '' || /^https:\/\/[^/]*@/.test(client_id))
    return 'must not hold a name or password'
  return url.pathname === '/' ? 'must have a path' : null
}

/**
 * The document of a client. Gives `invalid_client` with the reason for one that cannot be had or is
 * not good.
 */
export async function clientDocument(
  hearth: Hearth,
  client_id: string,
  options: FetchOptions = {},
): Promise<ClientDocument> {
  const wrong = documentAddressProblem(client_id)
  if (wrong !== null) throw oauthError('invalid_client', `the address of the application ${wrong}`)
  const now = hearth.clock.now()
  let kept = cacheOf(hearth).get(client_id)
  if (!kept || kept.until <= now) {
    kept = await fetchDocument(hearth, client_id, options).then(
      (document): Kept => ({ until: now + DAY, document, problem: '' }),
      (error: unknown): Kept => {
        if (!(error instanceof OutboundError)) throw error
        // A failure is remembered for a moment, so that reloading the page does not hammer the
        // other side.
        return { until: now + MINUTE, document: null, problem: error.message }
      },
    )
    cacheOf(hearth).set(client_id, kept)
  }
  if (!kept.document)
    throw oauthError(
      'invalid_client',
      `the application's description at ${client_id} cannot be used: ${kept.problem}`,
    )
  return kept.document
}

async function fetchDocument(
  { settings }: Hearth,
  client_id: string,
  options: FetchOptions,
): Promise<ClientDocument> {
  const { status, headers, body } = await requestOutside(new URL(client_id), {
    rules: parseOutboundRules(settings.outbound_allow),
    timeout: TIMEOUT,
    maxBytes: LARGEST_DOCUMENT,
    ...options,
    headers: { accept: 'application/json', 'user-agent': `Hearth/${settings.version}` },
  })
  if (status !== 200) throw new OutboundError(`it was answered with status ${status}`)
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(String(headers['content-type'] ?? '')))
    throw new OutboundError('it is not JSON')
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new OutboundError('it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OutboundError('it is not an object')
  const {
    client_id: own,
    client_name,
    redirect_uris,
    client_secret,
  } = value as Record<string, unknown>
  if (own !== client_id) throw new OutboundError('its client_id is not its own address')
  if (client_secret !== undefined)
    throw new OutboundError('it holds a secret for everybody to read')
  if (
    !Array.isArray(redirect_uris) ||
    redirect_uris.length === 0 ||
    redirect_uris.length > MOST_REDIRECTS
  )
    throw new OutboundError(`redirect_uris must hold 1 to ${MOST_REDIRECTS} addresses`)
  const addresses = redirect_uris.map((uri: unknown) => {
    const problem = typeof uri === 'string' ? redirectProblem(uri) : 'is not text'
    if (problem !== null) throw new OutboundError(`one of its redirect_uris ${problem}`)
    return String(uri)
  })
  return {
    name:
      oneLine(typeof client_name === 'string' ? client_name : '', LONGEST_NAME) ||
      new URL(client_id).host,
    redirect_uris: addresses,
  }
}
