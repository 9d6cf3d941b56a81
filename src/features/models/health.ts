/**
 * Which models fail now. A model that fails again and again is left alone for a while, so that calls
 * go to its fallbacks at once and the provider can recover.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { findIntegration, setChecked } from '#features/integrations/index.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import type { Target } from './targets.ts'

const MAX_FAILURES = 3
const WINDOW_MS = MINUTE
const COOL_DOWN_MS = 30 * SECOND
const MAX_MODELS = 10_000

type State = { readonly failures: number[]; restsUntilMs: number }

const keyOf = ({ integration, model }: Target): string => `${integration.id} ${model.id}`

class Health {
  readonly #states = new Map<string, State>()

  constructor(private readonly hearth: Hearth) {}

  /** How long a model is left alone; 0 when it may be called. */
  restMs(target: Target): number {
    const until = this.#states.get(keyOf(target))?.restsUntilMs ?? 0
    return Math.max(0, until - this.hearth.clock.now())
  }

  succeeded(target: Target): void {
    this.#states.delete(keyOf(target))
  }

  /** Counts a failure. After the third within a minute, the integration is shown as failing. */
  async failed(target: Target, error: string): Promise<void> {
    const now = this.hearth.clock.now()
    if (this.#states.size > MAX_MODELS) this.#states.clear()
    const known = this.#states.get(keyOf(target))
    const failures = [...(known?.failures ?? []).filter((at) => at > now - WINDOW_MS), now]
    const isOver = failures.length >= MAX_FAILURES
    this.#states.set(keyOf(target), {
      failures: failures.slice(-MAX_FAILURES),
      restsUntilMs: isOver ? now + COOL_DOWN_MS : 0,
    })
    if (!isOver) return
    await writeAs(this.hearth, null, (tx) => {
      const { id, updated_at } = target.integration
      if (findIntegration(tx.db, id)?.updated_at === updated_at) setChecked(tx, id, error)
    })
  }
}

export const modelHealth = service('model health', (hearth) => new Health(hearth))
