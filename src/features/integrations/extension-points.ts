/** What later features add to integrations. */
import { extensionPoint } from '#core/extension-points.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ModelSpeed } from './schema.ts'
import type { IntegrationRow } from './store.ts'

/**
 * Measures a model of a provider by a short answer, which somebody pays for. Returns null where no
 * model is known that writes text. Never throws for what the provider does.
 */
export const modelSpeed = extensionPoint<
  (hearth: Hearth, provider: IntegrationRow, actor_id: string) => Promise<ModelSpeed | null>
>('integrations.model_speed')
