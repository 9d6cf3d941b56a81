/**
 * Permits for runs of the built-in agent (setting `agents.at_once`) and for their commands. A free
 * permit goes to the workspace that holds the fewest, then to the repository that holds the fewest,
 * then to the run that has waited longest.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { repoById } from '#features/repos/index.ts'
import { FairSemaphore } from '#lib/semaphore.ts'

/** Holds a semaphore, and replaces it when its limit changes. Permits of the old one stay valid. */
class SemaphoreByLimit {
  #limit = 0
  #semaphore: FairSemaphore | null = null

  withLimit(limit: number): FairSemaphore {
    if (this.#semaphore === null || this.#limit !== limit) {
      this.#limit = limit
      this.#semaphore = new FairSemaphore({
        limit,
        maxPerCaller: limit,
        maxWaiting: Infinity,
        fullError: () => new Error('too many runs wait'),
      })
    }
    return this.#semaphore
  }
}

const runSemaphore = service('semaphore of agent runs', () => new SemaphoreByLimit())
const commandSemaphore = service('semaphore of agent commands', () => new SemaphoreByLimit())

const callerOf = ({ db }: Hearth, repo_id: string) => ({
  caller: repoById(db, repo_id)?.workspace_id ?? repo_id,
  resource: repo_id,
})

/** Waits until a run may work. Returns the function that releases its permit. */
export const acquireRunPermit = (
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal,
): Promise<() => void> =>
  runSemaphore(hearth)
    .withLimit(hearth.settings.agents.at_once)
    .acquire({ ...callerOf(hearth, repo_id), signal })

/**
 * Waits until a run may execute a command. There are as many permits as processors, because more
 * runs may be at work than commands can execute at once.
 */
export const acquireCommandPermit = (
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal,
): Promise<() => void> =>
  commandSemaphore(hearth)
    .withLimit(Math.max(1, navigator.hardwareConcurrency))
    .acquire({ ...callerOf(hearth, repo_id), signal })
