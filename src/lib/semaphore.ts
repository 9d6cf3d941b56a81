/**
 * A semaphore that shares its permits out fairly among callers.
 *
 * When a permit becomes free, it goes to the waiting caller that holds the fewest permits. Among
 * equals it goes to the resource with the fewest permits in use, then to the longest waiting. So a
 * caller with fifty requests does not delay a caller with one, and a popular repository does not
 * block the others.
 *
 * With `limit: Infinity` only the number of permits of each caller is bounded, and callers never
 * wait for one another.
 */

export type FairSemaphoreOptions = {
  /** Permits in total. */
  readonly limit: number
  /**
   * Permits that one caller may hold, `limit - 1` (but at least 1) by default: so one stays free
   * for another caller. A function is called at each decision, for settings that may change.
   */
  readonly maxPerCaller?: number | (() => number)
  /** Waiters beyond this number are rejected with `fullError()`. */
  readonly maxWaiting?: number
  /** Creates the error for a caller that finds the queue full. */
  readonly fullError: () => Error
  /** Creates the error for a caller whose signal is aborted; the signal's reason by default. */
  readonly abortError?: () => Error
}

export type PermitRequest = {
  readonly caller: string
  /** What the work is done on, such as a repository. Breaks ties between callers. */
  readonly resource?: string
  readonly signal?: AbortSignal | null
}

/** About what a server finishes before a client stops waiting. */
export const DEFAULT_MAX_WAITING = 256

type Waiter = {
  readonly caller: string
  readonly resource: string
  readonly grant: () => void
}

/** Permits in use by key; keys without any are removed. */
class Counts {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: string, by: number): void {
    const count = this.of(key) + by
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

export class FairSemaphore {
  readonly #limit: number
  readonly #maxPerCaller: () => number
  readonly #maxWaiting: number
  readonly #fullError: () => Error
  readonly #abortError: (() => Error) | null
  readonly #byCaller = new Counts()
  readonly #byResource = new Counts()
  readonly #queue: Waiter[] = []
  #running = 0

  constructor(options: FairSemaphoreOptions) {
    const { limit, maxPerCaller = Math.max(1, limit - 1) } = options
    this.#limit = limit
    this.#maxPerCaller = typeof maxPerCaller === 'function' ? maxPerCaller : () => maxPerCaller
    this.#maxWaiting = options.maxWaiting ?? DEFAULT_MAX_WAITING
    this.#fullError = options.fullError
    this.#abortError = options.abortError ?? null
  }

  /** Permits in use. */
  get running(): number {
    return this.#running
  }

  /** Requests for a permit that wait. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Whether `acquire` would grant this caller a permit without waiting. */
  isFree(caller: string): boolean {
    return this.#running < this.#limit && this.#byCaller.of(caller) < this.#maxPerCaller()
  }

  /**
   * Waits for a permit and returns the function that releases it; calling that twice is harmless.
   * Throws `abortError()` when the signal is aborted first, and `fullError()` when too many wait.
   */
  async acquire({ caller, resource = '', signal }: PermitRequest): Promise<() => void> {
    if (signal?.aborted) throw this.#aborted(signal)
    if (this.isFree(caller)) this.#take(caller, resource)
    else {
      if (this.#queue.length >= this.#maxWaiting) throw this.#fullError()
      await this.#wait(caller, resource, signal ?? null)
    }
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#running--
      this.#byCaller.add(caller, -1)
      this.#byResource.add(resource, -1)
      this.#grantFree()
    }
  }

  /** Resolves when `#grantFree` has taken a permit for this caller. */
  #wait(caller: string, resource: string, signal: AbortSignal | null): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        const index = this.#queue.indexOf(waiter)
        if (index >= 0) this.#queue.splice(index, 1)
        if (signal) reject(this.#aborted(signal))
      }
      const waiter: Waiter = {
        caller,
        resource,
        grant: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      this.#queue.push(waiter)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  #take(caller: string, resource: string): void {
    this.#running++
    this.#byCaller.add(caller, 1)
    this.#byResource.add(resource, 1)
  }

  /**
   * Grants free permits to the waiters that are next. A permit is taken here, before the waiter's
   * code runs, so that a caller that arrives in between cannot take it.
   */
  #grantFree(): void {
    while (this.#running < this.#limit && this.#queue.length > 0) {
      const next = this.#findNext()
      if (next === null) return
      this.#queue.splice(this.#queue.indexOf(next), 1)
      this.#take(next.caller, next.resource)
      next.grant()
    }
  }

  #findNext(): Waiter | null {
    const maxPerCaller = this.#maxPerCaller()
    let best: Waiter | null = null
    for (const waiter of this.#queue) {
      if (this.#byCaller.of(waiter.caller) >= maxPerCaller) continue
      if (best === null || this.#isBefore(waiter, best)) best = waiter
    }
    return best
  }

  #isBefore(waiter: Waiter, other: Waiter): boolean {
    const difference =
      this.#byCaller.of(waiter.caller) - this.#byCaller.of(other.caller) ||
      this.#byResource.of(waiter.resource) - this.#byResource.of(other.resource)
    return difference < 0
  }

  #aborted(signal: AbortSignal): unknown {
    return this.#abortError === null ? signal.reason : this.#abortError()
  }
}
