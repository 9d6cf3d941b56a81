/** Imports that run in this process, so that cancelling one aborts its requests. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'

const runningImports = service('running imports', () => new Map<string, AbortController>())

/**
 * Returns a signal that is aborted with `outer` or by `abortImport`, and a function that stops
 * tracking the import.
 */
export function trackImport(
  hearth: Hearth,
  id: string,
  outer: AbortSignal,
): { signal: AbortSignal; stopTracking: () => void } {
  const running = runningImports(hearth)
  const own = new AbortController()
  running.set(id, own)
  return {
    signal: AbortSignal.any([outer, own.signal]),
    stopTracking: () => void running.delete(id),
  }
}

export const abortImport = (hearth: Hearth, id: string): void =>
  runningImports(hearth).get(id)?.abort()
