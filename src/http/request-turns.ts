/**
 * Decides when the event loop begins each request, so that a caller with one request does not wait
 * behind the hundred requests of another.
 *
 * A request begins at once unless the loop is busy: it has spent some milliseconds on requests
 * without looking for new ones, or a network has many requests under way. Then requests wait in a
 * queue, and the next one is taken from the network with the fewest requests under way, and within
 * the network from its caller with the fewest.
 */
import { drainMicrotasks } from 'bun:jsc'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'

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
const MAX_TURN_MS = 3
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
/** Every so many turns, anonymous callers are not behind the others. */
const ANONYMOUS_TURN = 4
/** About what the loop begins before clients stop waiting. */
const MAX_WAITING = 1024

type Waiter = {
  readonly request: TurnRequest
  readonly network: string
  readonly isAnonymous: boolean
  readonly begin: () => void
  readonly refuse: (refusal: Refusal) => void
}

/** A caller within a network. */
class CallerTurns {
  underWay = 0
  lastTurn = 0
  readonly waiting: Waiter[] = []
  #isAnonymous: boolean | null = null

  /**
   * Whether a request with the credential of this caller is anonymous. Finding out takes a query, so
   * it is asked for the first of the requests that are here at once.
   */
  isAnonymous(request: TurnRequest): boolean {
    return (this.#isAnonymous ??= request.credential === '' || !request.isSignedIn())
  }
}

class NetworkTurns {
  underWay = 0
  waiting = 0
  lastTurn = 0
  readonly callers = new Map<string, CallerTurns>()

  caller(credential: string): CallerTurns {
    let caller = this.callers.get(credential)
    if (!caller) this.callers.set(credential, (caller = new CallerTurns()))
    return caller
  }
}

/** Whose request is under way. */
type Sender = {
  readonly network: string
  readonly credential: string
  readonly isAnonymous: boolean
}

/** A request under way. */
type Entry = {
  readonly request: TurnRequest
  readonly beganMs: number
  /**
   * Null until requests have to be told apart: who sends a request takes longer to find out than
   * many requests take.
   */
  sender: Sender | null
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
  readonly #networks = new Map<string, NetworkTurns>()
  /** In the order in which they began. */
  readonly #underWay = new Set<Entry>()
  #anonymousUnderWay = 0
  #waiting = 0
  #turns = 0
  #turnBeganMs = 0
  #isInTurn = false
  #lastNetwork = ''
  /** Until when requests come from more than one network. */
  #sharedUntilMs = -Infinity
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(private readonly clock: TurnClock = eventLoopClock) {}

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#waiting
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

  #mustWait(request: TurnRequest): boolean {
    if (this.#waiting > 0) return true
    if (this.#isInTurn && this.clock.now() - this.#turnBeganMs > MAX_TURN_MS) return true
    if (this.#underWay.size <= FREE_REQUESTS) return false
    this.#forgetOld()
    this.#countAll()
    this.#notePresence(request.network)
    return !this.#isFree(request.network, request.credential === '')
  }

  #begin<R extends {}>(request: TurnRequest, run: () => R | Promise<R>): R | Promise<R> {
    this.#beginTurn()
    const result = run()
    if (!(result instanceof Promise) || request.isWaiting) return result
    const entry: Entry = { request, beganMs: this.clock.now(), sender: null }
    this.#underWay.add(entry)
    if (this.#underWay.size > FREE_REQUESTS || this.#waiting > 0) this.#count(entry)
    request.endTurn = () => this.#remove(entry)
    return result.finally(() => this.#remove(entry))
  }

  #wait<R extends {}>(
    request: TurnRequest,
    run: () => R | Promise<R>,
    abandon: () => R,
  ): Promise<R> {
    this.#countAll()
    if (this.#waiting >= MAX_WAITING) this.#refuseNewest(request.network)
    this.#notePresence(request.network)
    return new Promise<R>((resolve, reject) => {
      const network = this.#network(request.network)
      const caller = network.caller(request.credential)
      const waiter: Waiter = {
        request,
        network: request.network,
        isAnonymous: caller.isAnonymous(request),
        begin: () => {
          if (request.isAborted()) return resolve(abandon())
          try {
            resolve(this.#begin(request, run))
          } catch (error) {
            reject(error as Error)
          }
        },
        refuse: reject,
      }
      caller.waiting.push(waiter)
      network.waiting++
      this.#waiting++
      this.#beginTurn()
    })
  }

  #network(name: string): NetworkTurns {
    let network = this.#networks.get(name)
    if (!network) this.#networks.set(name, (network = new NetworkTurns()))
    return network
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
    this.#turnBeganMs = this.clock.now()
    this.clock.later(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isInTurn = false
    if (this.#waiting === 0) return
    this.#forgetOld()
    this.#turnBeganMs = this.clock.now()
    do {
      const next = this.#takeNext()
      if (next === null) return this.#wakeLater()
      this.#isInTurn = true
      next.begin()
      // A request does nearly all of its work after its first promise. Unless that is done before the
      // next one begins, the work of dozens of requests comes at once when the turn is over.
      this.clock.settle()
    } while (this.#waiting > 0 && this.clock.now() - this.#turnBeganMs <= MAX_TURN_MS)
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

  #isFree(name: string, isAnonymous: boolean): boolean {
    const own = this.#networks.get(name)?.underWay ?? 0
    const isFull =
      this.#underWay.size >= MAX_REQUESTS ||
      (isAnonymous && this.#anonymousUnderWay >= MAX_ANONYMOUS_REQUESTS)
    if (isFull) return own === 0 && this.#underWay.size < 2 * MAX_REQUESTS
    return this.clock.now() > this.#sharedUntilMs || own < MAX_REQUESTS_PER_NETWORK
  }

  /** Takes the waiter that is next out of the queue; null when none may begin. */
  #takeNext(): Waiter | null {
    const anonymousFirst = ++this.#turns % ANONYMOUS_TURN === 0
    const next = this.#findNext(anonymousFirst) ?? this.#findNext(!anonymousFirst)
    if (next === null) return null
    const network = this.#network(next.network)
    const caller = network.caller(next.request.credential)
    caller.waiting.splice(caller.waiting.indexOf(next), 1)
    network.waiting--
    this.#waiting--
    network.lastTurn = caller.lastTurn = this.#turns
    this.#forgetIdle(next.network, next.request.credential)
    return next
  }

  #findNext(isAnonymous: boolean): Waiter | null {
    let best: { network: NetworkTurns; caller: CallerTurns; waiter: Waiter } | null = null
    for (const [name, network] of this.#networks) {
      if (network.waiting === 0 || !this.#isFree(name, isAnonymous)) continue
      for (const caller of network.callers.values()) {
        const waiter = caller.waiting.find((one) => one.isAnonymous === isAnonymous)
        if (!waiter) continue
        const order =
          best === null
            ? -1
            : network.underWay - best.network.underWay ||
              network.lastTurn - best.network.lastTurn ||
              caller.underWay - best.caller.underWay ||
              caller.lastTurn - best.caller.lastTurn
        if (order < 0) best = { network, caller, waiter }
      }
    }
    return best?.waiter ?? null
  }

  /** Makes a place in the queue, at the cost of the network with the most waiting requests. */
  #refuseNewest(network: string): void {
    let most = this.#network(network)
    let name = network
    for (const [other, turns] of this.#networks)
      if (turns.waiting > most.waiting + 1) [most, name] = [turns, other]
    const [credential, caller] = [...most.callers].reduce((a, b) =>
      b[1].waiting.length > a[1].waiting.length ? b : a,
    )
    const last = caller.waiting.pop()
    if (!last) throw overloaded()
    most.waiting--
    this.#waiting--
    this.#forgetIdle(name, credential)
    last.refuse(overloaded())
  }

  /** Counts those that began while there was no need to tell requests apart. */
  #countAll(): void {
    for (const entry of this.#underWay) this.#count(entry)
  }

  #count(entry: Entry): void {
    if (entry.sender) return
    const { network, credential } = entry.request
    const turns = this.#network(network)
    const caller = turns.caller(credential)
    const isAnonymous = caller.isAnonymous(entry.request)
    entry.sender = { network, credential, isAnonymous }
    if (isAnonymous) this.#anonymousUnderWay++
    turns.underWay++
    caller.underWay++
  }

  #remove(entry: Entry): void {
    if (!this.#underWay.delete(entry)) return
    const { sender } = entry
    if (sender) {
      if (sender.isAnonymous) this.#anonymousUnderWay--
      const network = this.#network(sender.network)
      network.underWay--
      network.caller(sender.credential).underWay--
      this.#forgetIdle(sender.network, sender.credential)
    }
    if (this.#waiting > 0) this.#beginTurn()
  }

  #forgetOld(): void {
    const beforeMs = this.clock.now() - MAX_COUNTED_MS
    for (const entry of this.#underWay) {
      if (entry.beganMs > beforeMs) return
      this.#remove(entry)
    }
  }

  #forgetIdle(name: string, credential: string): void {
    const network = this.#networks.get(name)
    const caller = network?.callers.get(credential)
    if (!network || !caller) return
    if (caller.underWay === 0 && caller.waiting.length === 0) network.callers.delete(credential)
    if (network.callers.size === 0) this.#networks.delete(name)
  }
}

export const requestTurns = service('request-turns', () => new RequestTurns())
