/** Imports that run in this process, so that ending one ends its requests as well. */
import type { Hearth } from '#core/hearth.ts'

const running = new WeakMap<Hearth, Map<string, AbortController>>()

/**
 * A signal that ends with `outer`, or when somebody stops the import; and the function that forgets
 * it.
 */
export function stoppable(
  hearth: Hearth,
  id: string,
  outer: AbortSignal,
): { signal: AbortSignal; over: () => void } {
  let all = running.get(hearth)
  if (!all) running.set(hearth, (all = new Map()))
  const own = new AbortController()
  all.set(id, own)
  return { signal: AbortSignal.any([outer, own.signal]), over: () => void all.delete(id) }
}

export const stopRunning = (hearth: Hearth, id: string): void =>
  running.get(hearth)?.get(id)?.abort()
