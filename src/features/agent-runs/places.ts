/**
 * The places of runs at work (setting `agents.at_once`). A free one goes to the workspace with the
 * fewest runs at work, then to the repository with the fewest, then to the run that waits longest.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { repoById } from '#features/repos/index.ts'
import { FairSemaphore } from '#lib/semaphore.ts'

const tooMany = (): Error => new Error('too many runs wait')

class Places {
  #limit = 0
  #semaphore: FairSemaphore | null = null

  /** A changed setting counts for the runs that begin from now on. */
  at(limit: number): FairSemaphore {
    if (this.#semaphore === null || this.#limit !== limit) {
      this.#limit = limit
      this.#semaphore = new FairSemaphore({
        limit,
        maxPerCaller: limit,
        maxWaiting: Infinity,
        fullError: tooMany,
      })
    }
    return this.#semaphore
  }
}

const runPlaces = service('places of agents at work', () => new Places())
const commandPlaces = service('places of commands of agents', () => new Places())

const callerOf = ({ db }: Hearth, repo_id: string) => ({
  caller: repoById(db, repo_id)?.workspace_id ?? repo_id,
  resource: repo_id,
})

/** Waits until a run may work. Returns what gives its place back. */
export const acquireRunPlace = (
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal,
): Promise<() => void> =>
  runPlaces(hearth)
    .at(hearth.settings.agents.at_once)
    .acquire({ ...callerOf(hearth, repo_id), signal })

/** Waits for a processor: more runs may be at work than commands can run at once. */
export const acquireCommandPlace = (
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal,
): Promise<() => void> =>
  commandPlaces(hearth)
    .at(Math.max(1, navigator.hardwareConcurrency))
    .acquire({ ...callerOf(hearth, repo_id), signal })
