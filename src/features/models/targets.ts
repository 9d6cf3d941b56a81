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

const tooMany = (): Refusal =>
  new Refusal('unavailable', 'too many calls wait for this model provider; try again later', {
    headers: { 'retry-after': '5' },
  })

/** Calls of each integration that run at once. The row is the key, so a new limit counts at once. */
class CallLimits {
  readonly #limits = new Map<string, { limit: number; semaphore: FairSemaphore }>()

  acquire({ integration, config }: Target, caller: string, signal?: AbortSignal) {
    const limit =
      config.concurrency ??
      DEFAULT_CONCURRENCY[integration.provider === 'local' ? 'local' : 'other']
    let known = this.#limits.get(integration.id)
    if (known?.limit !== limit) {
      const semaphore = new FairSemaphore({ limit, maxPerCaller: limit, fullError: tooMany })
      known = { limit, semaphore }
      this.#limits.set(integration.id, known)
    }
    return known.semaphore.acquire({ caller, ...(signal ? { signal } : {}) })
  }
}

export const callLimits = service('model call limits', () => new CallLimits())
