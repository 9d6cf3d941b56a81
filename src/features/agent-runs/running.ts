/** The runs that this process works on now, so that a stop reaches them at once. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'

const running = service('agents at work', () => new Map<string, AbortController>())

/** Registers a run. `end` must be called when the work is over. */
export function beginWork(
  hearth: Hearth,
  agent_id: string,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  running(hearth).set(agent_id, controller)
  return { signal: controller.signal, end: () => void running(hearth).delete(agent_id) }
}

export const isAtWork = (hearth: Hearth, agent_id: string): boolean => running(hearth).has(agent_id)

export const abortWork = (hearth: Hearth, agent_id: string): void =>
  running(hearth).get(agent_id)?.abort()
