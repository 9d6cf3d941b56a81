/**
 * Clients whose id is the URL of a document that describes them (OAuth Client ID Metadata Document,
 * https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/). The document is
 * fetched for signed-in users only, under the rules for outbound requests, and cached for a day.
 */
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { oneLine } from '#lib/one-line.ts'
import { outboundClient } from '#core/outbound.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { DAY, MINUTE, SECOND } from '#lib/time.ts'
import { oauthError } from './errors.ts'
import { redirectProblem } from './redirects.ts'

export type ClientDocument = { readonly name: string; readonly redirect_uris: readonly string[] }

const MAX_ADDRESS_LENGTH = 500
const MAX_DOCUMENT_BYTES = 16 * 1024
const FETCH_TIMEOUT_MS = 5 * SECOND
const MAX_REDIRECT_URIS = 50
const MAX_NAME_LENGTH = 64

/** `ca` adds certificate authorities to those of the system, in PEM. */
export type FetchOptions = { readonly signal?: AbortSignal; readonly ca?: string }

type CachedDocument = {
  readonly until: number
  readonly document: ClientDocument | null
  readonly problem: string
}

const documentCache = cache<CachedDocument>('oauth_client_documents', {
  maxSize: 4 * 1024 ** 2,
  sizeOf: (entry) => 200 + JSON.stringify(entry).length,
})

export const isDocumentAddress = (client_id: string): boolean => /^https:/i.test(client_id)

/** Why a URL cannot identify a client (section 2 of the draft). Null when it can. */
export function documentAddressProblem(client_id: string): string | null {
  if (client_id.length > MAX_ADDRESS_LENGTH)
    return `is longer than ${MAX_ADDRESS_LENGTH} characters`
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
 * The document of a client. Throws `invalid_client` with the reason when it cannot be fetched or is
 * invalid.
 */
export async function clientDocument(
  hearth: Hearth,
  client_id: string,
  options: FetchOptions = {},
): Promise<ClientDocument> {
  const problem = documentAddressProblem(client_id)
  if (problem !== null)
    throw oauthError('invalid_client', `the address of the application ${problem}`)
  const now = hearth.clock.now()
  let entry = documentCache(hearth).get(client_id)
  if (!entry || entry.until <= now) {
    entry = await fetchDocument(hearth, client_id, options).then(
      (document): CachedDocument => ({ until: now + DAY, document, problem: '' }),
      (error: unknown): CachedDocument => {
        if (!(error instanceof OutboundError)) throw error
        // A failure is cached for a minute, so that reloading the page does not send requests to
        // the other server.
        return { until: now + MINUTE, document: null, problem: error.message }
      },
    )
    documentCache(hearth).set(client_id, entry)
  }
  if (!entry.document)
    throw oauthError(
      'invalid_client',
      `the application's description at ${client_id} cannot be used: ${entry.problem}`,
    )
  return entry.document
}

async function fetchDocument(
  { settings }: Hearth,
  client_id: string,
  options: FetchOptions,
): Promise<ClientDocument> {
  const { status, headers, body } = await outboundClient({ settings }).request(new URL(client_id), {
    timeoutMs: FETCH_TIMEOUT_MS,
    maxBytes: MAX_DOCUMENT_BYTES,
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
    redirect_uris.length > MAX_REDIRECT_URIS
  )
    throw new OutboundError(`redirect_uris must hold 1 to ${MAX_REDIRECT_URIS} addresses`)
  const addresses = redirect_uris.map((uri: unknown) => {
    const problem = typeof uri === 'string' ? redirectProblem(uri) : 'is not text'
    if (problem !== null) throw new OutboundError(`one of its redirect_uris ${problem}`)
    return String(uri)
  })
  return {
    name:
      oneLine(typeof client_name === 'string' ? client_name : '', MAX_NAME_LENGTH) ||
      new URL(client_id).host,
    redirect_uris: addresses,
  }
}
