/** The models that a route names, in the order in which they are tried. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import {
  configOf,
  findIntegration,
  readSecret,
  wireOf,
  type IntegrationRow,
  type ModelProviderConfig,
  type ProviderModel,
  type Wire,
} from '#features/integrations/index.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { Refusal } from '#lib/errors.ts'
import { bytesOf } from './money.ts'
import { fallbacksOf, requireRoute } from './routes.ts'
import type { ModelTask } from './schema.ts'
import type { RouteRow } from './store-routes.ts'

export type Target = {
  readonly integration: IntegrationRow
  readonly config: ModelProviderConfig
  readonly wire: Wire
  readonly secret: string
  readonly model: ProviderModel
}

const DEFAULT_CONCURRENCY = { local: 2, other: 8 }

function targetOf(hearth: Hearth, integration_id: string, model: string): Target[] {
  const integration = findIntegration(hearth.db, integration_id)
  if (!integration || integration.enabled === 0) return []
  const secret = readSecret(hearth, integration)
  if (secret === null) return []
  const config = configOf(integration) as ModelProviderConfig
  const known = config.models?.find(({ id }) => id === model) ?? { id: model }
  return [{ integration, config, wire: wireOf(integration.provider, config), secret, model: known }]
}

export const targetsOf = (hearth: Hearth, route: RouteRow): Target[] => [
  ...targetOf(hearth, route.integration_id, route.model),
  ...fallbacksOf(route).flatMap(({ integration, model }) => targetOf(hearth, integration, model)),
]

/** What a model may read and write in one call where its owner has not said. */
const DEFAULT_CONTEXT_TOKENS = 64_000
const DEFAULT_ANSWER_TOKENS = 8_192
/** Estimates of input are rough, so an answer is never lowered further than this. */
const MIN_ANSWER_TOKENS = 256
/** The part of what a model may read that is left free, because tokens are estimated. */
const RESERVED_PART = 0.1

/** A model that may answer with all of its context still has to read the question. */
const maxAnswerOf = ({ context_tokens = Infinity }: ProviderModel, answer: number): number =>
  Math.min(answer, Math.floor(context_tokens / 4))

/**
 * The longest answer of a call in tokens. Servers refuse a call whose input and answer together are
 * more than the context of the model, so the answer gets what is left beside the input.
 */
export function answerTokensOf(
  { model }: Target,
  route: RouteRow,
  { input, wanted }: { readonly input: number; readonly wanted?: number | undefined },
): number {
  const byDefault =
    wanted === undefined ? maxAnswerOf(model, DEFAULT_ANSWER_TOKENS) : Number.POSITIVE_INFINITY
  const allowed = Math.min(
    wanted ?? Infinity,
    route.max_output_tokens ?? Infinity,
    model.max_output_tokens ?? byDefault,
  )
  if (model.context_tokens === undefined) return allowed
  return Math.min(allowed, Math.max(MIN_ANSWER_TOKENS, model.context_tokens - input))
}

/**
 * How many bytes of JSON a conversation for a task may have, so that an answer fits beside it in
 * the smallest of the models that may be asked.
 */
export function inputBytesOf(hearth: Hearth, workspace_id: string, task: ModelTask): number {
  const route = requireRoute(hearth.db, workspace_id, task)
  const sizes = targetsOf(hearth, route).map(({ model }) => {
    const answer = route.max_output_tokens ?? model.max_output_tokens ?? DEFAULT_ANSWER_TOKENS
    return (model.context_tokens ?? DEFAULT_CONTEXT_TOKENS) - maxAnswerOf(model, answer)
  })
  return bytesOf((1 - RESERVED_PART) * Math.min(...sizes, DEFAULT_CONTEXT_TOKENS))
}

const tooMany = (): Refusal =>
  new Refusal('unavailable', 'too many calls wait for this model provider; try again later', {
    headers: { 'retry-after': '5' },
  })

/** Calls of one integration that run at once. */
class CallLimit {
  #limit = 0
  readonly semaphore = new FairSemaphore({
    limit: () => this.#limit,
    maxPerCaller: () => this.#limit,
    fullError: tooMany,
  })

  set(limit: number): void {
    const isHigher = limit > this.#limit
    this.#limit = limit
    if (isHigher) this.semaphore.grantFree()
  }
}

/** The limits of all integrations by their ids. A changed limit counts from the next call. */
class CallLimits {
  readonly #limits = new Map<string, CallLimit>()

  acquire({ integration, config }: Target, caller: string, signal?: AbortSignal) {
    let limit = this.#limits.get(integration.id)
    if (!limit) {
      limit = new CallLimit()
      this.#limits.set(integration.id, limit)
    }
    const byDefault = DEFAULT_CONCURRENCY[integration.provider === 'local' ? 'local' : 'other']
    limit.set(config.concurrency ?? byDefault)
    return limit.semaphore.acquire({ caller, ...(signal ? { signal } : {}) })
  }
}

export const callLimits = service('model call limits', () => new CallLimits())
