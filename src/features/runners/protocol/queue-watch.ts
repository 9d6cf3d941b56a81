/** Requests of runners for a job that wait until jobs are queued. */
import type { Hearth } from '#core/hearth.ts'
import { handler } from '#core/events.ts'
import { service } from '#core/service.ts'
import { jobsQueued } from '#features/workflows/index.ts'

/** Forgejo's runner asks once for each job that it can run at the same time. */
const MAX_REQUESTS_OF_RUNNER = 16

class QueueWatch {
  readonly #waiting = new Set<() => void>()
  readonly #requests = new Map<string, number>()
  #version: number

  constructor(hearth: Hearth) {
    // Runners compare the number with that of an earlier process too.
    this.#version = hearth.clock.now()
    hearth.draining.addEventListener('abort', () => this.wake(), { once: true })
  }

  /** Grows whenever jobs are queued. */
  get version(): number {
    return this.#version
  }

  wake(): void {
    this.#version++
    for (const wake of this.#waiting) wake()
  }

  /**
   * Waits until the version is another one. False when the time is over, the client has gone, or
   * the runner waits in too many other requests.
   */
  async wait(
    runner_id: string,
    version: number,
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (version !== this.#version) return true
    const others = this.#requests.get(runner_id) ?? 0
    if (ms <= 0 || signal.aborted || others >= MAX_REQUESTS_OF_RUNNER) return false
    this.#requests.set(runner_id, others + 1)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    const end = (): void => resolve()
    signal.addEventListener('abort', end, { once: true })
    this.#waiting.add(end)
    await promise
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    this.#waiting.delete(end)
    this.#leave(runner_id)
    return version !== this.#version && !signal.aborted
  }

  #leave(runner_id: string): void {
    const left = (this.#requests.get(runner_id) ?? 1) - 1
    if (left === 0) this.#requests.delete(runner_id)
    else this.#requests.set(runner_id, left)
  }
}

export const queueWatch = service('jobs for runners', (hearth) => new QueueWatch(hearth))

export const wakeRunners = handler('runners hear of jobs', jobsQueued, (tx) =>
  tx.afterCommit(() => queueWatch(tx.hearth).wake()),
)
