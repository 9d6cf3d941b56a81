/**
 * Opens one call of a model: route, caps, reservation, the provider and its fallbacks. Whoever opens
 * a call reads its answer and settles it. This is the only place where money is spent.
 */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { integrationClient, modelEndpoint, modelHeaders } from '#features/integrations/index.ts'
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { readBeginning } from '#lib/outbound/read-beginning.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { sleep } from '#lib/waiting.ts'
import { settle, type Meter } from './bill.ts'
import { modelHealth } from './health.ts'
import { reserve, type Reservation } from './ledger.ts'
import { capsOf, type Payer } from './payer.ts'
import { readProviderError } from './provider-error.ts'
import { requireRoute } from './routes.ts'
import type { RouteRow } from './store-routes.ts'
import { answerTokensOf, callLimits, canHold, targetsOf, type Target } from './targets.ts'

const DEFAULT_TIMEOUT_S = 600
const MAX_SILENCE_MS = 5 * MINUTE
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_ERROR_CHARS = 64 * 1024
/** Of what a provider says about an error. */
const MAX_SAID_CHARS = 300
const MAX_TRIES = 2
const MAX_RETRY_DELAY_MS = 20 * SECOND

type FailureDetails = {
  /** The status of a provider that refused the request itself; null when none could answer. */
  readonly status?: number | null
  /** What such a provider says. */
  readonly body?: string
  /** What whoever reads the repository may know; the message unless given. */
  readonly told?: string
}

/**
 * No model of a route has answered. The message is for people with Write, because it can have what
 * the provider says of its address, its account or its key.
 */
export class ModelFailed extends Error {
  readonly status: number | null
  readonly body: string
  readonly told: string

  constructor(message: string, { status = null, body = '', told = message }: FailureDetails = {}) {
    super(message)
    this.status = status
    this.body = body
    this.told = told
  }
}

/** What a call asks, in the form of the provider. */
export type Outgoing = {
  /** Such as `/chat/completions`. */
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export type CallRequest = {
  /** Tokens of the input, estimated. */
  readonly input: number
  /** The longest answer that is wanted; without it, what route and model allow. 0 for none. */
  readonly wanted?: number
  /** Builds the request once the model and its longest answer are known. Throws Refusal. */
  readonly build: (target: Target, maxOutput: number, route: RouteRow) => Outgoing
  readonly signal?: AbortSignal
  /** Whether it waits for models that rest after failures, which takes at most half a minute. */
  readonly isPatient?: boolean
}

export type OpenCall = {
  readonly target: Target
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The answer. It must be read or cancelled. */
  readonly body: ReadableStream<Uint8Array>
  /** Writes the bill and frees what was reserved. Further calls do nothing. */
  readonly end: (meter: Meter, isWhole: boolean) => Promise<void>
}

/** How long an answer may take in all. */
export const answerTimeoutMs = ({ config }: Target): number =>
  (config.timeout_seconds ?? DEFAULT_TIMEOUT_S) * SECOND

export const isTemporary = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500

/** Providers put the key into what they say about it. */
const withoutSecret = (text: string, secret: string): string =>
  secret.length < 4 ? text : text.replaceAll(secret, '[secret]')

/** Servers that need no key are given words such as `none`, `ollama` or `not-required`. */
const isKey = (secret: string): boolean => secret.length >= 12 && /\d/.test(secret)

/** A part of an answer, in which nothing but a key may be changed. */
export const withoutKey = (text: string, secret: string): string =>
  isKey(secret) ? text.replaceAll(secret, '[secret]') : text

type Failure = { readonly failed: ModelFailed; readonly waitMs: number }
type Response = Awaited<ReturnType<ReturnType<typeof integrationClient>['open']>>

async function send(hearth: Hearth, target: Target, outgoing: Outgoing, signal?: AbortSignal) {
  const { config, wire, secret } = target
  const { url, ...socket } = modelEndpoint(config.base_url, outgoing.path, wire)
  return await integrationClient(hearth).open(url, {
    ...socket,
    method: 'POST',
    headers: {
      ...outgoing.headers,
      ...modelHeaders(wire, secret),
      'content-type': 'application/json',
    },
    body: new TextEncoder().encode(outgoing.body),
    timeoutMs: answerTimeoutMs(target),
    idleTimeoutMs: MAX_SILENCE_MS,
    maxBytes: MAX_ANSWER_BYTES,
    keepAlive: true,
    ...(signal ? { signal } : {}),
  })
}

/** Milliseconds of a `Retry-After` in seconds or as a date. */
function retryDelayMs(header: string | undefined, now: number): number {
  if (header === undefined) return SECOND / 2
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * SECOND : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : SECOND
}

/** Calls one model once. A failure that another try or model may mend is returned. */
async function tryOnce(
  hearth: Hearth,
  target: Target,
  outgoing: Outgoing,
  signal?: AbortSignal,
): Promise<Response | Failure> {
  const { name } = target.integration
  let response: Response
  try {
    response = await send(hearth, target, outgoing, signal)
  } catch (error) {
    if (!(error instanceof OutboundError) || signal?.aborted) throw error
    const told = 'the model provider cannot be reached'
    return {
      failed: new ModelFailed(`${name}: ${error.message}`, { told }),
      waitMs: SECOND / 2,
    }
  }
  const { status, headers } = response
  if (status >= 200 && status < 300) {
    const coding = headers['content-encoding'] ?? 'identity'
    if (coding === 'identity') return response
    await response.body.cancel()
    throw new ModelFailed(`${name} answered with ${coding}, which was not asked for`)
  }
  const text = withoutSecret(await readBeginning(response.body, MAX_ERROR_CHARS), target.secret)
  const said = readProviderError(text).message || text
  const message = `${name} answered with status ${status}: ${said.slice(0, MAX_SAID_CHARS)}`
  const told = `the model provider answered with status ${status}`
  if (!isTemporary(status)) throw new ModelFailed(message, { status, body: text, told })
  return {
    failed: new ModelFailed(message, { told }),
    waitMs: retryDelayMs(headers['retry-after'], hearth.clock.now()),
  }
}

type Attempt = {
  readonly hearth: Hearth
  readonly payer: Payer
  readonly route: RouteRow
  readonly request: CallRequest
  readonly target: Target
}

/** Reserves, and calls one model up to twice. */
async function tryTarget(attempt: Attempt): Promise<OpenCall | Failure> {
  const { hearth, payer, route, request, target } = attempt
  const { signal } = request
  const health = modelHealth(hearth)
  const free = await callLimits(hearth).acquire(target, payer.actor_id, signal)
  let isOpen = false
  try {
    for (let tries = 1; ; tries++) {
      const wanted = answerTokensOf(target, route, request)
      const caps = readScope(hearth.db, () => capsOf(hearth, payer, route))
      const held = reserve(hearth, caps, {
        prices: target.model,
        input: request.input,
        wanted,
      })
      try {
        const begin = performance.now()
        const outgoing = request.build(target, held.max_output, route)
        const result = await tryOnce(hearth, target, outgoing, signal)
        if (!('failed' in result)) {
          health.succeeded(target)
          isOpen = true
          return openCall(attempt, result, { held, free, begin })
        }
        await health.failed(target, result.failed.message)
        if (tries === MAX_TRIES || result.waitMs > MAX_RETRY_DELAY_MS) return result
        held.release()
        await sleep(result.waitMs, signal ?? null)
        signal?.throwIfAborted()
      } finally {
        if (!isOpen) held.release()
      }
    }
  } finally {
    if (!isOpen) free()
  }
}

function openCall(
  { hearth, payer, request, target }: Attempt,
  { status, headers, body }: Response,
  { held, free, begin }: { held: Reservation; free: () => void; begin: number },
): OpenCall {
  let isEnded = false
  return {
    target,
    headers,
    body,
    end: async (meter, isWhole) => {
      if (isEnded) return
      isEnded = true
      const { usage, estimated } = meter.total(request.input, isWhole)
      const ms = Math.round(performance.now() - begin)
      try {
        await settle(hearth, { payer, target, usage, estimated, status, ms })
      } finally {
        held.release()
        free()
      }
    },
  }
}

/**
 * Opens a call of the model of a task. Throws 409 `model_not_configured`, 403 `cost_cap`, 429 while
 * other calls have reserved what is left, 400 `context_length_exceeded`, 503 while all models of the route rest after failures, and
 * `ModelFailed` when none answers.
 */
export async function openModelCall(
  hearth: Hearth,
  payer: Payer,
  request: CallRequest,
): Promise<OpenCall> {
  const { route, targets } = readScope(hearth.db, () => {
    const found = requireRoute(hearth.db, payer.workspace_id, payer.task)
    return { route: found, targets: targetsOf(hearth, found) }
  })
  if (targets.length === 0)
    throw new Refusal('conflict', `the model provider for ${payer.task} is switched off`, {
      reason: 'model_not_configured',
    })
  const health = modelHealth(hearth)
  const fitting = targets.filter((target) => canHold(target, request))
  if (fitting.length === 0) throw tooLong(payer, targets, request.input)
  const ready = fitting.filter((target) => health.restMs(target) === 0)
  if (ready.length === 0) {
    const restMs = Math.min(...fitting.map((one) => health.restMs(one)))
    if (!request.isPatient) throw resting(payer, restMs)
    await sleep(restMs, request.signal ?? null)
    return await openModelCall(hearth, payer, { ...request, isPatient: false })
  }
  let last: Failure | null = null
  for (const target of ready) {
    const result = await tryTarget({ hearth, payer, route, request, target })
    if (!('failed' in result)) return result
    last = result
  }
  throw last?.failed ?? new ModelFailed('no model answered')
}

/**
 * Opens a call of one model that no route has to name, to try it. Throws 503 while too many calls
 * wait for it, and `ModelFailed` when it does not answer.
 */
export async function openTrialCall(
  hearth: Hearth,
  payer: Payer,
  target: Target,
  request: CallRequest,
): Promise<OpenCall> {
  const { workspace_id, task } = payer
  const { integration, model } = target
  const route: RouteRow = {
    workspace_id,
    task,
    integration_id: integration.id,
    model: model.id,
    max_output_tokens: null,
    temperature: null,
    max_usd: null,
    fallback: '[]',
  }
  const result = await tryTarget({ hearth, payer, route, request, target })
  if ('failed' in result) throw result.failed
  return result
}

/** In words by which programs know that they have to shorten their conversation. */
function tooLong({ task }: Payer, targets: readonly Target[], input: number): Refusal {
  const context = Math.max(...targets.map(({ model }) => model.context_tokens ?? 0))
  return new Refusal(
    'bad_request',
    `prompt is too long: the maximum context length of the models for ${task} is ${context} tokens, and the input alone is about ${input}; shorten it, or ask an owner for a model with a larger context (Settings, Models)`,
    { reason: 'context_length_exceeded', headers: { 'x-should-retry': 'false' } },
  )
}

const resting = ({ task }: Payer, ms: number): Refusal =>
  new Refusal('unavailable', `the models for ${task} have failed; they are tried again soon`, {
    reason: 'model_failed',
    headers: { 'retry-after': String(Math.ceil(ms / SECOND)) },
  })
