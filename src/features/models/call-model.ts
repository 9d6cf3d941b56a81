/**
 * One call of a model: route, caps, reservation, the provider and its fallbacks, and the bill. It is
 * the only place where money is spent.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { findAgent } from '#features/agents/index.ts'
import { integrationClient, modelAddress, modelHeaders } from '#features/integrations/index.ts'
import { appendEntries, costAllowances, findPullById, sessionCost } from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { sleep } from '#lib/waiting.ts'
import { capOf, reserve, type Cap } from './ledger.ts'
import { costOf, tokensOf, toUsd } from './money.ts'
import type { ModelTask } from './schema.ts'
import { requireRoute } from './routes.ts'
import type { RouteRow } from './store-routes.ts'
import { costOfTask, insertCall } from './store-calls.ts'
import { callLimits, targetsOf, type Target } from './targets.ts'
import { readChat } from './wires/chat.ts'
import {
  AnswerBuilder,
  BadAnswer,
  type Answer,
  type ModelEvent,
  type Usage,
} from './wires/events.ts'
import { chatToMessages, readMessages, type ChatRequest } from './wires/messages.ts'

/** Whom a call is for. The bill goes to the pull request when there is one. */
export type Payer = {
  readonly workspace_id: string
  readonly task: ModelTask
  /** An agent, a person or the workspace. */
  readonly actor_id: string
  readonly pull_id: string | null
}

const DEFAULT_OUTPUT_TOKENS = 8_192
const DEFAULT_TIMEOUT_S = 600
const MAX_SILENCE_MS = 5 * MINUTE
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const MAX_RETRY_DELAY_MS = 20 * SECOND

/** No model of a route has answered. */
export class ModelFailed extends Error {}

type Attempt = {
  readonly target: Target
  readonly max_output: number
  readonly signal?: AbortSignal
}

const isTemporary = (status: number): boolean => status === 408 || status === 429 || status >= 500

function capsOf(hearth: Hearth, payer: Payer, route: RouteRow): Cap[] {
  const { db } = hearth
  const caps: Cap[] = []
  const agent = findAgent(db, payer.actor_id)
  if (agent?.max_usd != null)
    caps.push(
      capOf(
        payer.actor_id,
        agent.max_usd,
        agent.cost_usd,
        `max_usd ${agent.max_usd.toFixed(2)} of this agent`,
      ),
    )
  if (route.max_usd !== null)
    caps.push(
      capOf(
        `${payer.actor_id} ${payer.task}`,
        route.max_usd,
        agent ? toUsd(costOfTask(db, payer.actor_id, payer.task)) : 0,
        `max_usd ${route.max_usd.toFixed(2)} of the model for ${payer.task}`,
      ),
    )
  const pull = payer.pull_id === null ? null : findPullById(db, payer.pull_id)
  if (pull)
    for (const allowances of costAllowances.all(hearth))
      for (const { key, max_usd, spent_usd, what } of allowances(hearth, pull))
        caps.push(capOf(key, max_usd, spent_usd, what))
  return caps
}

function bodyFor({ wire, model }: Target, request: ChatRequest): string {
  if (wire === 'messages')
    return JSON.stringify({ ...chatToMessages(request), model: model.id, stream: true })
  return JSON.stringify({
    ...request,
    model: model.id,
    stream: true,
    stream_options: { include_usage: true },
  })
}

async function send({ target, signal }: Attempt, hearth: Hearth, body: string) {
  const { config, wire, secret } = target
  const path = wire === 'messages' ? '/messages' : '/chat/completions'
  return await integrationClient(hearth).open(modelAddress(config.base_url, path, wire), {
    method: 'POST',
    headers: { ...modelHeaders(wire, secret), 'content-type': 'application/json' },
    body: new TextEncoder().encode(body),
    timeoutMs: (config.timeout_seconds ?? DEFAULT_TIMEOUT_S) * SECOND,
    idleTimeoutMs: MAX_SILENCE_MS,
    maxBytes: MAX_ANSWER_BYTES,
    ...(signal ? { signal } : {}),
  })
}

async function* eventsFrom(
  body: ReadableStream<Uint8Array>,
  { wire }: Target,
): AsyncGenerator<ModelEvent> {
  yield* wire === 'messages' ? readMessages(body) : readChat(body)
}

/** What an answer has cost, counted from its text where the provider reports nothing. */
class Meter {
  #input: number | null = null
  #cached = 0
  #output: number | null = null
  #bytes = 0

  add(event: ModelEvent): void {
    if (event.kind === 'usage') {
      this.#input = event.usage.input ?? this.#input
      this.#cached = event.usage.cached ?? this.#cached
      this.#output = event.usage.output ?? this.#output
    } else if (event.kind === 'text' || event.kind === 'arguments')
      this.#bytes += Buffer.byteLength(event.text)
  }

  /** `isWhole` is false when the answer broke off, because usage comes at its end. */
  total(estimatedInput: number, isWhole: boolean): { usage: Usage; estimated: boolean } {
    const counted = tokensOf(this.#bytes)
    const output = isWhole ? (this.#output ?? counted) : Math.max(this.#output ?? 0, counted)
    return {
      usage: { input: this.#input ?? estimatedInput, cached: this.#cached, output },
      estimated: this.#input === null || this.#output === null || !isWhole,
    }
  }
}

type Bill = {
  readonly payer: Payer
  readonly target: Target
  readonly usage: Usage
  readonly estimated: boolean
  readonly status: number
  readonly ms: number
}

/** Writes the call, the usage entry of its session and the cost, in one transaction. */
async function settle(hearth: Hearth, bill: Bill): Promise<number> {
  const { payer, target, usage } = bill
  const cost = costOf(target.model, usage)
  await writeAs(hearth, null, (tx) => {
    insertCall(tx, {
      workspace_id: payer.workspace_id,
      pull_id: payer.pull_id,
      actor_id: payer.actor_id,
      task: payer.task,
      integration_id: target.integration.id,
      model: target.model.id,
      input_tokens: usage.input,
      cached_tokens: usage.cached,
      output_tokens: usage.output,
      cost,
      estimated: bill.estimated ? 1 : 0,
      status: bill.status,
      ms: bill.ms,
    })
    const pull = payer.pull_id === null ? null : findPullById(tx.db, payer.pull_id)
    if (!pull) return
    const cost_usd = toUsd(cost)
    const data = {
      model: target.model.id,
      input_tokens: usage.input,
      cached_tokens: usage.cached,
      output_tokens: usage.output,
      cost_usd,
      ...(bill.estimated ? { estimated: true } : {}),
    }
    const entry = {
      kind: 'usage',
      text: '',
      tool: null,
      at: tx.now,
      author_id: null,
      sha: pull.head_sha,
      data: JSON.stringify(data),
      truncated: 0 as const,
      redacted: 0 as const,
    }
    appendEntries(tx, pull, [entry], cost_usd)
    if (cost > 0) tx.emit(sessionCost, { pull_id: pull.id, actor_id: payer.actor_id, cost_usd })
  })
  return cost
}

type Outcome = { readonly answer: Answer } | { readonly failure: string; readonly waitMs: number }

/** Calls one model once. A failure before the answer is returned, so that another may be tried. */
async function tryOnce(
  hearth: Hearth,
  payer: Payer,
  attempt: Attempt,
  request: ChatRequest,
): Promise<Outcome> {
  const begin = performance.now()
  const { target } = attempt
  const body = bodyFor(target, { ...request, max_tokens: attempt.max_output })
  const { name } = target.integration
  let response: Awaited<ReturnType<typeof send>>
  try {
    response = await send(attempt, hearth, body)
  } catch (error) {
    if (!(error instanceof OutboundError) || attempt.signal?.aborted) throw error
    return { failure: `${name}: ${error.message}`, waitMs: 500 }
  }
  const { status, headers } = response
  if (status < 200 || status >= 300) {
    const text = await new Response(response.body).text().catch(() => '')
    const failure = `${name} answered with status ${status}: ${text.slice(0, 300)}`
    if (!isTemporary(status)) throw new ModelFailed(failure)
    const seconds = Number(headers['retry-after'] ?? '0.5')
    return { failure, waitMs: Number.isFinite(seconds) ? seconds * SECOND : SECOND }
  }
  const meter = new Meter()
  const builder = new AnswerBuilder()
  let isWhole = false
  try {
    for await (const event of eventsFrom(response.body, target)) {
      meter.add(event)
      builder.add(event)
    }
    isWhole = true
  } catch (error) {
    if (!(error instanceof OutboundError) && !(error instanceof BadAnswer)) throw error
    if (attempt.signal?.aborted) throw error
    throw new ModelFailed(`${name}: ${error.message}`)
  } finally {
    const { usage, estimated } = meter.total(tokensOf(Buffer.byteLength(body)), isWhole)
    const ms = Math.round(performance.now() - begin)
    await settle(hearth, { payer, target, usage, estimated, status, ms })
  }
  return { answer: builder.build() }
}

/**
 * Asks the model of a task. Throws 409 `model_not_configured`, 403 `cost_cap`, 429 while other
 * calls have reserved what is left, and `ModelFailed` when no model of the route answers.
 */
export async function callModel(
  hearth: Hearth,
  payer: Payer,
  request: Omit<ChatRequest, 'max_tokens'> & { readonly max_tokens?: number },
  signal?: AbortSignal,
): Promise<Answer> {
  const route = requireRoute(hearth.db, payer.workspace_id, payer.task)
  const targets = targetsOf(hearth, route)
  const failures: string[] = []
  const temperature = request.temperature ?? route.temperature ?? undefined
  for (const target of targets) {
    const wanted = Math.min(
      request.max_tokens ?? Infinity,
      route.max_output_tokens ?? Infinity,
      target.model.max_output_tokens ?? DEFAULT_OUTPUT_TOKENS,
    )
    const whole: ChatRequest = {
      ...request,
      max_tokens: wanted,
      ...(temperature === undefined ? {} : { temperature }),
    }
    const input = tokensOf(Buffer.byteLength(JSON.stringify(request)))
    const release = await callLimits(hearth).acquire(target, payer.actor_id, signal)
    try {
      for (let tries = 0; tries < 2; tries++) {
        const held = reserve(hearth, capsOf(hearth, payer, route), {
          prices: target.model,
          input,
          wanted,
        })
        let outcome: Outcome
        try {
          const attempt = { target, max_output: held.max_output, ...(signal ? { signal } : {}) }
          outcome = await tryOnce(hearth, payer, attempt, whole)
        } finally {
          held.release()
        }
        if ('answer' in outcome) return outcome.answer
        failures.push(outcome.failure)
        if (outcome.waitMs > MAX_RETRY_DELAY_MS) break
        if (tries === 0) await sleep(outcome.waitMs, signal ?? null)
        signal?.throwIfAborted()
      }
    } finally {
      release()
    }
  }
  if (targets.length === 0)
    throw new Refusal('conflict', `the model provider for ${payer.task} is switched off`, {
      reason: 'model_not_configured',
    })
  throw new ModelFailed(failures.at(-1) ?? 'no model answered')
}
