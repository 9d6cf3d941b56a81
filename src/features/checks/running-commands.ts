/** The commands that run in this process, so that cancelling a run can abort them. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'

/** One controller for each run, by its id. */
const controllers = service('running checks', () => new Map<string, AbortController>())

/** Registers a run. `end` removes it. */
export function beginCommands(
  hearth: Hearth,
  run_id: string,
): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const running = controllers(hearth)
  running.set(run_id, controller)
  return {
    signal: controller.signal,
    end: () => {
      if (running.get(run_id) === controller) running.delete(run_id)
    },
  }
}

/** Aborts the commands of a run that runs in this process. */
export const stopCommands = (hearth: Hearth, run_id: string): void =>
  controllers(hearth).get(run_id)?.abort()
