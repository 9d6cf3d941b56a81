/**
 * Decides when the event loop begins each request, so that a caller with one request does not wait
 * behind the hundred requests of another.
 *
 * A request begins at once unless the loop is busy: it has spent some milliseconds on requests
 * without looking for new ones, or a network has many requests under way. Then requests wait in a
 * queue (`TurnQueue`). The only request of a light network does not wait while all that wait are of
 * heavy ones: it would be next anyway. A request whose body has arrived waits in the same queue before
 * it goes on: parsing and answering take longer than what comes before the body.
 */
import { drainMicrotasks } from 'bun:jsc'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { TurnQueue, type TurnSender, type Waiter } from './turn-queue.ts'

/** What the queue must know of a request. */
export type TurnRequest = {
  /** The network that the request came from. */
  readonly network: string
  /** What the request says about who sends it; empty for anonymous callers. */
  readonly credential: string
  /** Whether that is true. It is asked only when the loop is busy. */
  readonly isSignedIn: () => boolean
  /** Whether the client has given up. */
  readonly isAborted: () => boolean
  /** Whether the request waits for something else than the event loop, so it is not counted. */
  readonly isWaiting?: boolean
  /** Set here: ends the counting of a request that begins to wait. */
  endTurn?: () => void
}

/**
 * The loop begins requests for so long before it looks for new ones. A reader waits at most this
 * long, and for the longest single request.
 */
const MAX_TURN_MS = 2
/** Requests in a turn that begin at once although the loop is busy. */
const MAX_PASSING = 3
/** Requests under way, up to which nobody is counted. */
const FREE_REQUESTS = 3
/**
 * Requests under way at once: enough for writes to share a sync of the disk. Each may hold a page of
 * some megabytes. A network that has none under way gets one beyond this number.
 */
const MAX_REQUESTS = 32
/** Of these, how many may come from anonymous callers together. */
const MAX_ANONYMOUS_REQUESTS = MAX_REQUESTS / 2
/** Of one network, while requests come from others too. */
const MAX_REQUESTS_PER_NETWORK = 4
/** How long a network counts as present after its last request. */
const PRESENCE_MS = 2 * SECOND
/** A request under way for longer waits for something else than the event loop. */
const MAX_COUNTED_MS = 3 * SECOND
/** About what the loop begins before clients stop waiting. */
const MAX_WAITING = 1024

/** A request under way. */
type Entry = {
  readonly request: TurnRequest
  readonly beganMs: number
  /**
   * Null until requests have to be told apart: who sends a request takes longer to find out than
   * many requests take.
   */
  sender: TurnSender | null
}

export type TurnClock = {
  readonly now: () => number
  /** Calls a function in the next turn of the event loop. */
  readonly later: (run: () => void) => void
  /** Runs what promises that are settled have waiting. */
  readonly settle: () => void
}

const eventLoopClock: TurnClock = {
  now: () => performance.now(),
  later: (run) => void setImmediate(run),
  settle: drainMicrotasks,
}

const overloaded = (): Refusal =>
  new Refusal('unavailable', 'too many requests wait already; try again in a moment', {
    reason: 'concurrency',
    headers: { 'retry-after': '5' },
  })

export class RequestTurns {
  readonly #queue = new TurnQueue()
  /** In the order in which they began. */
  readonly #underWay = new Set<Entry>()
  #turnBeganMs = 0
  #passing = 0
  #isInTurn = false
  #lastNetwork = ''
  /** Until when requests come from more than one network. */
  #sharedUntilMs = -Infinity
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(private readonly clock: TurnClock = eventLoopClock) {}

  /** Requests that wait for their turn to begin. */
  get waiting(): number {
    return this.#queue.beginning
  }

  /**
   * Calls `run` now or when the turn of the request comes, and gives its result. `run` is not
   * called for a request whose client has given up by then; `abandon` is.
   */
  run<R extends {}>(
    request: TurnRequest,
    run: () => R | Promise<R>,
    abandon: () => R,
  ): R | Promise<R> {
    if (this.#mustWait(request)) return this.#wait(request, run, abandon)
    return this.#begin(request, run)
  }

  /**
   * For a request under way whose body has arrived: resolves when its turn comes to go on. Null when
   * that is now.
   */
  resume(request: TurnRequest): Promise<void> | null {
    if (!this.#isBusy) {
      this.#beginTurn()
      return null
    }
    return new Promise((resolve) => {
      this.#queue.add(request, { isUnderWay: true, begin: resolve, refuse: () => resolve() })
      this.#beginTurn()
    })
  }

  get #isBusy(): boolean {
    return (
      this.#queue.size > 0 || (this.#isInTurn && this.clock.now() - this.#turnBeganMs > MAX_TURN_MS)
    )
  }

  #mustWait(request: TurnRequest): boolean {
    if (this.#isBusy && !this.#mayPass(request)) return true
    if (this.#underWay.size <= FREE_REQUESTS) return false
    this.#forgetOld()
    this.#countAll()
    this.#notePresence(request.network)
    return !this.#isFree(request.network, request.credential === '')
  }

  #mayPass(request: TurnRequest): boolean {
    if (this.#passing >= MAX_PASSING || !this.#queue.passesAll(request, this.clock.now()))
      return false
    this.#passing++
    return true
  }

  #begin<R extends {}>(request: TurnRequest, run: () => R | Promise<R>): R | Promise<R> {
    this.#beginTurn()
    const result = run()
    if (!(result instanceof Promise) || request.isWaiting) return result
    const entry: Entry = { request, beganMs: this.clock.now(), sender: null }
    this.#underWay.add(entry)
    if (this.#underWay.size > FREE_REQUESTS || this.#queue.size > 0) this.#count(entry)
    request.endTurn = () => this.#remove(entry)
    return result.finally(() => this.#remove(entry))
  }

  #wait<R extends {}>(
    request: TurnRequest,
    run: () => R | Promise<R>,
    abandon: () => R,
  ): Promise<R> {
    this.#countAll()
    if (this.#queue.beginning >= MAX_WAITING) this.#refuseNewest(request.network)
    this.#notePresence(request.network)
    return new Promise<R>((resolve, reject) => {
      const begin = (): void => {
        if (request.isAborted()) return resolve(abandon())
        try {
          resolve(this.#begin(request, run))
        } catch (error) {
          reject(error as Error)
        }
      }
      this.#queue.add(request, { isUnderWay: false, begin, refuse: reject })
      this.#beginTurn()
    })
  }

  #notePresence(network: string): void {
    if (network === this.#lastNetwork) return
    if (this.#lastNetwork !== '') this.#sharedUntilMs = this.clock.now() + PRESENCE_MS
    this.#lastNetwork = network
  }

  /** The time of the loop is counted from now on, and again after it has looked for new requests. */
  #beginTurn(): void {
    if (this.#isInTurn) return
    this.#isInTurn = true
    this.#passing = 0
    this.#turnBeganMs = this.clock.now()
    this.clock.later(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isInTurn = false
    this.#passing = 0
    if (this.#queue.size === 0) return
    this.#forgetOld()
    let nowMs = (this.#turnBeganMs = this.clock.now())
    do {
      const next = this.#queue.takeNext(nowMs, (waiter) => this.#mayBegin(waiter))
      if (next === null) return this.#wakeLater()
      this.#isInTurn = true
      next.begin()
      // A request does nearly all of its work after its first promise. Unless that is done before the
      // next one begins, the work of dozens of requests comes at once when the turn is over.
      this.clock.settle()
      const beganMs = nowMs
      nowMs = this.clock.now()
      this.#queue.addUse(next, nowMs - beganMs, nowMs)
    } while (this.#queue.size > 0 && nowMs - this.#turnBeganMs <= MAX_TURN_MS)
    this.clock.later(() => this.#nextTurn())
  }

  /** All that wait have to wait until a request ends, or until one no longer counts. */
  #wakeLater(): void {
    this.#isInTurn = false
    const [oldest] = this.#underWay
    if (!oldest || this.#timer !== null) return
    const waitMs = Math.max(1, oldest.beganMs + MAX_COUNTED_MS - this.clock.now())
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#nextTurn()
    }, waitMs)
  }

  #mayBegin({ network, isAnonymous, isUnderWay }: Waiter): boolean {
    return isUnderWay || this.#isFree(network, isAnonymous)
  }

  #isFree(network: string, isAnonymous: boolean): boolean {
    const own = this.#queue.underWay(network)
    const isFull =
      this.#underWay.size >= MAX_REQUESTS ||
      (isAnonymous && this.#queue.anonymousUnderWay >= MAX_ANONYMOUS_REQUESTS)
    if (isFull) return own === 0 && this.#underWay.size < 2 * MAX_REQUESTS
    return this.clock.now() > this.#sharedUntilMs || own < MAX_REQUESTS_PER_NETWORK
  }

  /** Makes a place in the queue, at the cost of the network with the most waiting requests. */
  #refuseNewest(network: string): void {
    const last = this.#queue.takeNewest(network)
    if (!last) throw overloaded()
    last.refuse(overloaded())
  }

  /** Counts those that began while there was no need to tell requests apart. */
  #countAll(): void {
    for (const entry of this.#underWay) this.#count(entry)
  }

  #count(entry: Entry): void {
    entry.sender ??= this.#queue.began(entry.request)
  }

  #remove(entry: Entry): void {
    if (!this.#underWay.delete(entry)) return
    if (entry.sender) this.#queue.ended(entry.sender)
    if (this.#queue.size > 0) this.#beginTurn()
  }

  #forgetOld(): void {
    const beforeMs = this.clock.now() - MAX_COUNTED_MS
    for (const entry of this.#underWay) {
      if (entry.beganMs > beforeMs) return
      this.#remove(entry)
    }
  }
}

export const requestTurns = service('request-turns', () => new RequestTurns())
