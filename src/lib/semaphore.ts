/**
 * A semaphore that shares its permits out fairly among callers.
 *
 * When a permit becomes free, it goes to the waiting caller that holds the fewest permits. Among
 * equals it goes to the resource with the fewest permits in use, then to the caller whose last turn
 * is the longest ago, then to the longest waiting. So a caller with fifty requests does not delay a
 * caller with one, and a popular repository does not block the others.
 *
 * A full queue is shared out too: a caller with fewer waiters than another takes the place of the
 * other's newest waiter.
 *
 * With `limit: Infinity` only the number of permits of each caller is bounded, and callers never
 * wait for one another.
 */

export type FairSemaphoreOptions = {
  /**
   * Permits in total. A function is called at each decision, for settings that may change. A lower
   * limit counts at once: nothing is granted until enough permits are released. After a higher one,
   * `grantFree` lets waiters go on.
   */
  readonly limit: number | (() => number)
  /**
   * Permits that one caller may hold, `limit - 1` (but at least 1) by default: so one stays free
   * for another caller. A function may be given, as for the limit.
   */
  readonly maxPerCaller?: number | (() => number)
  /** Waiters beyond this number are rejected with `fullError()`. */
  readonly maxWaiting?: number
  /** The same for the waiters of one caller; no limit of its own by default. */
  readonly maxWaitingPerCaller?: number
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
  readonly reject: (error: unknown) => void
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
  readonly #limit: () => number
  readonly #maxPerCaller: () => number
  readonly #maxWaiting: number
  readonly #maxWaitingPerCaller: number
  readonly #fullError: () => Error
  readonly #abortError: (() => Error) | null
  readonly #byCaller = new Counts()
  readonly #byResource = new Counts()
  readonly #waitingByCaller = new Counts()
  /** The number of the last turn of each caller that holds a permit or waits. */
  readonly #lastTurns = new Map<string, number>()
  #turns = 0
  readonly #queue: Waiter[] = []
  #running = 0

  constructor(options: FairSemaphoreOptions) {
    const { limit, maxPerCaller = () => Math.max(1, this.#limit() - 1) } = options
    this.#limit = typeof limit === 'function' ? limit : () => limit
    this.#maxPerCaller = typeof maxPerCaller === 'function' ? maxPerCaller : () => maxPerCaller
    this.#maxWaiting = options.maxWaiting ?? DEFAULT_MAX_WAITING
    this.#maxWaitingPerCaller = options.maxWaitingPerCaller ?? Infinity
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
    return this.#running < this.#limit() && this.#byCaller.of(caller) < this.#maxPerCaller()
  }

  /**
   * Waits for a permit and returns the function that releases it; calling that twice is harmless.
   * Throws `abortError()` when the signal is aborted first, and `fullError()` when too many wait.
   */
  async acquire({ caller, resource = '', signal }: PermitRequest): Promise<() => void> {
    if (signal?.aborted) throw this.#aborted(signal)
    if (this.isFree(caller)) this.#take(caller, resource)
    else {
      this.#requirePlace(caller)
      await this.#wait(caller, resource, signal ?? null)
    }
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#running--
      this.#byCaller.add(caller, -1)
      this.#byResource.add(resource, -1)
      this.#forgetIdle(caller)
      this.grantFree()
    }
  }

  /** Throws `fullError()` when no place in the queue is left for this caller. */
  #requirePlace(caller: string): void {
    const own = this.#waitingByCaller.of(caller)
    if (own >= this.#maxWaitingPerCaller) throw this.#fullError()
    if (this.#queue.length < this.#maxWaiting) return
    // The newest waiter of the caller with the most, of which the newcomer has fewer.
    let last: Waiter | null = null
    let most = own + 1
    for (const waiter of this.#queue) {
      const count = this.#waitingByCaller.of(waiter.caller)
      if (count > most || (count === most && waiter.caller === last?.caller)) {
        last = waiter
        most = count
      }
    }
    if (last === null) throw this.#fullError()
    this.#leave(last)
    last.reject(this.#fullError())
  }

  #leave(waiter: Waiter): void {
    const index = this.#queue.indexOf(waiter)
    if (index < 0) return
    this.#queue.splice(index, 1)
    this.#waitingByCaller.add(waiter.caller, -1)
    this.#forgetIdle(waiter.caller)
  }

  #forgetIdle(caller: string): void {
    if (this.#byCaller.of(caller) === 0 && this.#waitingByCaller.of(caller) === 0)
      this.#lastTurns.delete(caller)
  }

  /** Resolves when `grantFree` has taken a permit for this caller. */
  #wait(caller: string, resource: string, signal: AbortSignal | null): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.#leave(waiter)
        if (signal) reject(this.#aborted(signal))
      }
      const waiter: Waiter = {
        caller,
        resource,
        grant: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
        reject: (error) => {
          signal?.removeEventListener('abort', abort)
          reject(error)
        },
      }
      this.#queue.push(waiter)
      this.#waitingByCaller.add(caller, 1)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  #take(caller: string, resource: string): void {
    this.#running++
    this.#byCaller.add(caller, 1)
    this.#byResource.add(resource, 1)
    this.#lastTurns.set(caller, ++this.#turns)
  }

  /**
   * Grants free permits to the waiters that are next. A permit is taken here, before the waiter's
   * code runs, so that a caller that arrives in between cannot take it.
   */
  grantFree(): void {
    while (this.#running < this.#limit() && this.#queue.length > 0) {
      const next = this.#findNext()
      if (next === null) return
      this.#take(next.caller, next.resource)
      this.#leave(next)
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
      this.#byResource.of(waiter.resource) - this.#byResource.of(other.resource) ||
      this.#lastTurnOf(waiter.caller) - this.#lastTurnOf(other.caller)
    return difference < 0
  }

  #lastTurnOf(caller: string): number {
    return this.#lastTurns.get(caller) ?? 0
  }

  #aborted(signal: AbortSignal): unknown {
    return this.#abortError === null ? signal.reason : this.#abortError()
  }
}
