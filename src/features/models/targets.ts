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
import { MIN_OUTPUT_TOKENS } from './ledger.ts'
import { fallbacksOf } from './routes.ts'
import type { RouteRow } from './store-routes.ts'

export type Target = {
  readonly integration: IntegrationRow
  readonly config: ModelProviderConfig
  readonly wire: Wire
  readonly secret: string
  readonly model: ProviderModel
}

const DEFAULT_CONCURRENCY = { local: 2, other: 8 }

/** None where the provider is switched off or its secret cannot be read. */
export function targetOf(hearth: Hearth, integration_id: string, model: string): Target[] {
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

/** What a model may write in one call where its owner has not said. */
export const DEFAULT_ANSWER_TOKENS = 8_192
/** A model that may answer with all of its context still has to read the question. */
export const maxAnswerOf = ({ context_tokens = Infinity }: ProviderModel, answer: number): number =>
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
  return Math.min(allowed, Math.max(MIN_OUTPUT_TOKENS, model.context_tokens - input))
}

/** Prose has up to 5 bytes in a token, where the estimate of input counts 3.5. */
const MAX_OVERESTIMATE = 1.5

/**
 * Whether a model may read an input and answer it. What is between this and the estimate is left to
 * the provider, which counts tokens itself.
 */
export function canHold(
  { model: { context_tokens = Infinity } }: Target,
  { input, wanted = MIN_OUTPUT_TOKENS }: { readonly input: number; readonly wanted?: number },
): boolean {
  return input / MAX_OVERESTIMATE + Math.min(wanted, MIN_OUTPUT_TOKENS) <= context_tokens
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
