/** How fast a model writes, measured by a short answer when its provider is tested. */
import type { Hearth } from '#core/hearth.ts'
import {
  configOf,
  type IntegrationRow,
  type ModelProviderConfig,
  type ModelSpeed,
} from '#features/integrations/index.ts'
import { SECOND, timestamp } from '#lib/time.ts'
import { Meter } from './bill.ts'
import { isCallFailure } from './failure.ts'
import { tokensOf } from './money.ts'
import { openTrialCall, type OpenCall } from './open-call.ts'
import type { Payer } from './payer.ts'
import { fallbacksOf } from './routes.ts'
import { listRoutes } from './store-routes.ts'
import { targetOf, type Target } from './targets.ts'
import { eventsFrom, outgoingFor } from './wires/providers.ts'

const MAX_ANSWER_TOKENS = 64
const MAX_MEASURING_MS = 60 * SECOND
const MAX_ERROR_CHARS = 300
/** A model continues this for as long as it is let. */
const MESSAGES = [{ role: 'user', content: 'Count from 1 to 100, with spaces.' }] as const

/** A model of a provider that writes text: one of a route, else one that is not for embeddings. */
function modelToMeasure({ db }: Hearth, provider: IntegrationRow): string | null {
  const named = listRoutes(db, provider.workspace_id).flatMap((route) =>
    [{ integration: route.integration_id, model: route.model }, ...fallbacksOf(route)].flatMap(
      ({ integration, model }) =>
        integration === provider.id ? [{ task: route.task, model }] : [],
    ),
  )
  const routed = named.find(({ task }) => task !== 'embed')
  if (routed) return routed.model
  const { models = [] } = configOf(provider) as ModelProviderConfig
  return models.find(({ id }) => named.every(({ model }) => model !== id))?.id ?? null
}

type Measured = Pick<ModelSpeed, 'first_token_ms' | 'tokens_per_second'>

/** Reads an answer to its end. Tokens a second count from the first piece to the last. */
async function readAnswer(call: OpenCall, begin: number): Promise<Measured> {
  const meter = new Meter()
  let first: number | null = null
  let last = begin
  let isWhole = false
  try {
    for await (const event of eventsFrom(call.body, call.target.wire)) {
      meter.add(event)
      if (event.kind !== 'text' && event.kind !== 'thinking') continue
      last = performance.now()
      first ??= last
    }
    isWhole = true
  } finally {
    await call.end(meter, isWhole)
  }
  if (first === null) return { first_token_ms: null, tokens_per_second: null }
  const { output } = meter.total(0, true).usage
  const seconds = (last - first) / SECOND
  return {
    first_token_ms: Math.round(first - begin),
    tokens_per_second:
      seconds > 0 && output > 1 ? Math.round(((output - 1) / seconds) * 10) / 10 : null,
  }
}

async function measure(hearth: Hearth, payer: Payer, target: Target): Promise<Measured> {
  const begin = performance.now()
  const call = await openTrialCall(hearth, payer, target, {
    input: tokensOf(Buffer.byteLength(JSON.stringify(MESSAGES))),
    wanted: MAX_ANSWER_TOKENS,
    signal: AbortSignal.timeout(MAX_MEASURING_MS),
    build: (one, max_tokens) => outgoingFor(one, { messages: MESSAGES, max_tokens }),
  })
  return await readAnswer(call, begin)
}

/** Why nothing was measured. Throws what is an error of this program. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${MAX_MEASURING_MS / SECOND} seconds`
  if (isCallFailure(error)) return error.message.slice(0, MAX_ERROR_CHARS)
  throw error
}

/** Null where no model is known. The answer is billed to the workspace. */
export async function measureSpeed(
  hearth: Hearth,
  provider: IntegrationRow,
  actor_id: string,
): Promise<ModelSpeed | null> {
  const model = modelToMeasure(hearth, provider)
  const [target] = model === null ? [] : targetOf(hearth, provider.id, model)
  if (target === undefined) return null
  const { workspace_id } = provider
  const payer = { workspace_id, task: 'default' as const, actor_id, pull_id: null }
  const about = { model: target.model.id, measured_at: timestamp(hearth.clock.now()) }
  try {
    return { ...about, ...(await measure(hearth, payer, target)), error: null }
  } catch (error) {
    return { ...about, first_token_ms: null, tokens_per_second: null, error: reasonOf(error) }
  }
}
