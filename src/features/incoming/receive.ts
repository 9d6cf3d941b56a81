/** Receives events of services at `/-/in/<integration>/<key>`. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest, ProtocolRoute } from '#core/protocol-routes.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import {
  configOf,
  findIntegration,
  locateStackTrace,
  type IntegrationRow,
} from '#features/integrations/index.ts'
import { repoById } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { isObject } from '#lib/json-value.ts'
import { parseJson } from '#lib/parse-json.ts'
import { RateCounter } from '#lib/rate-counter.ts'
import { MINUTE } from '#lib/time.ts'
import { INCOMING_PATH, isKeyOf } from './address.ts'
import { applyEvent } from './apply-event.ts'
import { callerOf, requireRights } from './hook-caller.ts'
import { readHookSecret } from './hook-record.ts'
import type { DeliveryState } from './schema.ts'
import type { IncomingEvent, IncomingItem, Sender } from './senders/sender.ts'
import { findSender } from './senders/senders.ts'
import { requireSignature } from './signature.ts'
import { findHook, insertDelivery, wasReceived, type DeliveryRow, type HookRow } from './store.ts'

const MAX_BYTES = 1024 * 1024
const MAX_A_MINUTE = 300
const MAX_EVENT_LENGTH = 100
const MAX_SENDER_ID_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500

const counter = service('incoming webhooks', ({ clock }) => new RateCounter(clock))

type Receiver = {
  readonly hook: HookRow
  readonly integration: IntegrationRow
  readonly sender: Sender
}

/** Unknown addresses, wrong keys and integrations that are switched off look alike. */
function requireReceiver(hearth: Hearth, path: string): Receiver {
  const [id = '', key = '', ...rest] = path.slice(INCOMING_PATH.length + 1).split('/')
  const hook = findHook(hearth.db, id)
  const integration = hook && isKeyOf(hearth, hook, key) ? findIntegration(hearth.db, id) : null
  const sender = integration && findSender(integration.provider)
  if (!hook || !integration || !sender || integration.enabled === 0 || rest.length > 0)
    throw new Refusal('not_found', 'this address takes no events')
  return { hook, integration, sender }
}

type Received = Pick<DeliveryRow, 'integration_id' | 'sender_id' | 'digest' | 'size'>

const deliveryOf = (
  received: Received,
  state: DeliveryState,
  { event = '', message = null, issues = [] as number[] }: DeliveryFacts,
): Omit<DeliveryRow, 'seq' | 'received_at'> => ({
  ...received,
  event: event.slice(0, MAX_EVENT_LENGTH),
  state,
  message: message === null ? null : message.slice(0, MAX_MESSAGE_LENGTH),
  issues: JSON.stringify(issues),
})

type DeliveryFacts = {
  readonly event?: string
  readonly message?: string | null
  readonly issues?: number[]
}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** The JSON of an event. GitHub, Gitea and Forgejo can also send it as a field of a form. */
function jsonOf(headers: Headers, bytes: Uint8Array): Uint8Array {
  if (!FORM.test(headers.get('content-type') ?? '')) return bytes
  const payload = new URLSearchParams(new TextDecoder().decode(bytes)).get('payload')
  if (payload === null)
    throw new Refusal('invalid', 'the form has no field payload: choose application/json')
  return new TextEncoder().encode(payload)
}

function readEvent(
  { sender, integration }: Receiver,
  headers: Headers,
  bytes: Uint8Array,
): IncomingEvent | null {
  const body = parseJson(jsonOf(headers, bytes))
  if (!isObject(body))
    throw new Refusal('invalid', 'the body is a JSON object: choose application/json')
  return sender.read({ headers, body, config: configOf(integration) })
}

/** Finds the files of the errors that say where they happened. */
async function locateErrors(
  hearth: Hearth,
  { repo_id }: HookRow,
  event: IncomingEvent | null,
): Promise<IncomingEvent | null> {
  const repo = repoById(hearth.db, repo_id)
  if (event === null || repo === null) return event
  const items: IncomingItem[] = []
  for (const item of event.items) {
    const located = item.trace ? await locateStackTrace(hearth, repo, item.trace) : null
    items.push(located === null ? item : { ...item, located })
  }
  return { ...event, items }
}

function receivedOf(receiver: Receiver, headers: Headers, bytes: Uint8Array): Received {
  const { sender, hook } = receiver
  const id = sender.idHeaders.map((name) => headers.get(name)).find((value) => value) ?? null
  const kind = headers.get('sentry-hook-resource') ?? ''
  return {
    integration_id: hook.integration_id,
    sender_id: id === null ? null : id.slice(0, MAX_SENDER_ID_LENGTH),
    digest: sender.hasUniqueBodies
      ? sha256(Buffer.concat([Buffer.from(`${kind}\n`), bytes]))
      : null,
    size: bytes.length,
  }
}

/** One event in one transaction: the issues, what they stand for, and the delivery. */
async function receive(
  hearth: Hearth,
  receiver: Receiver,
  http: ProtocolRequest,
  bytes: Uint8Array,
) {
  const { hook, sender, integration } = receiver
  const { headers } = http.request
  const received = receivedOf(receiver, headers, bytes)
  try {
    requireSignature(sender, readHookSecret(hearth, hook), { headers, bytes })
    const event = await locateErrors(hearth, hook, readEvent(receiver, headers, bytes))
    const caller = callerOf(hearth, receiver)
    return await writeAs(
      hearth,
      caller,
      (tx): DeliveryState => {
        if (wasReceived(tx.db, hook.integration_id, received)) return 'ignored'
        if (event === null) {
          insertDelivery(tx, deliveryOf(received, 'ignored', { message: 'not about an issue' }))
          return 'ignored'
        }
        const repo = requireRights(hearth, caller, receiver)
        const service = integration.name
        const issues = applyEvent(tx, { hook, sender, service, repo, caller }, event)
        insertDelivery(tx, deliveryOf(received, 'done', { event: event.name, issues }))
        return 'done'
      },
      http.origin,
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const state = error.code === 'unauthenticated' ? 'refused' : 'failed'
    await writeAs(hearth, null, (tx) => {
      if (findHook(tx.db, hook.integration_id))
        insertDelivery(tx, deliveryOf(received, state, { message: error.message }))
    })
    throw error
  }
}

async function handle(hearth: Hearth, http: ProtocolRequest): Promise<Response> {
  if (http.request.method !== 'POST')
    throw new Refusal('method_not_allowed', 'events are sent with POST', {
      headers: { allow: 'POST' },
    })
  const receiver = requireReceiver(hearth, http.path)
  const wait = counter(hearth).take({
    key: receiver.hook.integration_id,
    maxPerWindow: MAX_A_MINUTE,
    windowMs: MINUTE,
  })
  if (wait !== null)
    throw new Refusal('rate_limited', `at most ${MAX_A_MINUTE} events a minute are taken`, {
      headers: { 'retry-after': String(wait) },
    })
  const bytes = await http.bytes(MAX_BYTES)
  return Response.json({ state: await receive(hearth, receiver, http, bytes) }, { status: 202 })
}

export const incomingRoute: ProtocolRoute = {
  path: `${INCOMING_PATH}/*`,
  handle: async (hearth, http) => {
    try {
      return await handle(hearth, http)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return Response.json(
        { error: { code: error.code, message: error.message } },
        { status: error.status, headers: { ...error.headers, 'cache-control': 'no-store' } },
      )
    }
  },
}
