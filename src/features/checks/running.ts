/** Commands that run in this process now, so that they can be ended by whoever ends their run. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'

const running = new WeakMap<Db, Map<string, AbortController>>()

const ofForge = ({ db }: Hearth): Map<string, AbortController> => {
  let known = running.get(db)
  if (!known) running.set(db, (known = new Map()))
  return known
}

/** Notes that a run is at work. `end` takes the note away. */
export function beginCommands(
  hearth: Hearth,
  run_id: string,
): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const all = ofForge(hearth)
  all.set(run_id, controller)
  return {
    signal: controller.signal,
    end: () => {
      if (all.get(run_id) === controller) all.delete(run_id)
    },
  }
}

/** Ends its commands, if any are running. */
export const stopCommands = (hearth: Hearth, run_id: string): void =>
  ofForge(hearth).get(run_id)?.abort()
