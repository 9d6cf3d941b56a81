/** Asks a tracker for a ticket, and remembers the answer for five minutes. */
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import {
  addressBelow,
  configOf,
  fetchStackTrace,
  integrationClient,
  readSecret,
  type IntegrationRow,
  type StackTrace,
} from '#features/integrations/index.ts'
import { SMALL_ENTRY_BYTES } from '#lib/cache.ts'
import { conflict } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { MAX_TICKET_BODY_CHARS, type Ticket } from './schema.ts'
import { TRACKERS, type TicketRequest } from './trackers.ts'

const MAX_FETCH_MS = 10 * SECOND
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
const CACHED_MS = 5 * MINUTE
const MAX_CACHED_BYTES = 4 * 1024 * 1024
const MAX_TITLE_CHARS = 1_000

/** A ticket, and the stack trace of one that is an error. */
export type FetchedTicket = { readonly ticket: Ticket; readonly trace: StackTrace | null }

type Cached = { readonly fetched: FetchedTicket | null; readonly at: number }

/** A stack trace has at most so many frames of a few paths. */
const TRACE_BYTES = 100 * 1024

const tickets = cache<Cached>('tickets', {
  maxSize: MAX_CACHED_BYTES,
  sizeOf: ({ fetched }) =>
    SMALL_ENTRY_BYTES + 2 * (fetched?.ticket.body.length ?? 0) + (fetched?.trace ? TRACE_BYTES : 0),
})

/** Throws 409 `remote_unreachable`. */
const unreachable = (integration: IntegrationRow, why: string) =>
  conflict('remote_unreachable', `${integration.name} ${why}`, { provider: integration.provider })

/** A ticket by its key; null when the tracker has none. Throws 409 `remote_unreachable`. */
export async function fetchTicket(
  hearth: Hearth,
  integration: IntegrationRow,
  key: string,
): Promise<FetchedTicket | null> {
  // A changed address or secret is another question.
  const entry = `${integration.id} ${integration.updated_at} ${key}`
  const now = hearth.clock.now()
  const cached = tickets(hearth).get(entry)
  if (cached && cached.at > now - CACHED_MS) return cached.fetched
  const secret = readSecret(hearth, integration)
  if (secret === null) throw unreachable(integration, 'needs its secret again')
  const request = TRACKERS[integration.provider]?.request(key, configOf(integration), secret)
  if (!request) return null
  const answer = await send(hearth, integration, request)
  const ticket = answer && readTicket(integration, request, answer, now)
  const trace =
    ticket && request.error !== undefined
      ? await fetchStackTrace(hearth, integration, request.error)
      : null
  const fetched = ticket && { ticket, trace }
  tickets(hearth).set(entry, { fetched, at: now })
  return fetched
}

async function send(
  hearth: Hearth,
  integration: IntegrationRow,
  { base, path, search = '', headers, body }: TicketRequest,
): Promise<Uint8Array | null> {
  const url = addressBelow(base, path)
  url.search = search
  try {
    const response = await integrationClient(hearth).request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'user-agent': 'hearth',
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: MAX_FETCH_MS,
      maxBytes: MAX_ANSWER_BYTES,
    })
    if (response.status === 404 || response.status === 410) return null
    if (response.status !== 200)
      throw unreachable(integration, `answered with status ${response.status}`)
    return response.body
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw unreachable(integration, 'could not be reached')
  }
}

function readTicket(
  { name, provider, ...rest }: IntegrationRow,
  request: TicketRequest,
  answer: Uint8Array,
  now: number,
): Ticket | null {
  try {
    const found = request.read(JSON.parse(new TextDecoder().decode(answer)))
    if (found === null) return null
    return {
      provider,
      key: found.key,
      title: found.title.toWellFormed().slice(0, MAX_TITLE_CHARS),
      // Only an address that a browser opens as a page.
      url: /^https?:\/\//i.test(found.url) ? found.url : '',
      status: found.status.toLowerCase(),
      body: found.body.toWellFormed().slice(0, MAX_TICKET_BODY_CHARS),
      fetched_at: timestamp(now),
    }
  } catch {
    throw unreachable({ name, provider, ...rest }, 'gave an answer that is no ticket')
  }
}
