/**
 * Requests that wait for a turn of the event loop, by network and by caller within the network, and
 * the order in which they are taken.
 *
 * A network that has lately used much of the loop is behind the others, and so is a caller who has
 * from any number of networks. Anonymous callers are behind those who are signed in. Some turns
 * reverse either rule, so that nobody waits for ever. Of networks that are alike, the one with the
 * fewest requests under way is next; within the network, the caller with the fewest, and what is
 * under way already comes before what has not begun.
 */
import { LoopUse } from './loop-use.ts'
import type { TurnRequest } from './request-turns.ts'

/** Whose request is under way. */
export type TurnSender = {
  readonly network: string
  readonly credential: string
  readonly isAnonymous: boolean
}

export type Waiter = TurnSender & {
  /** Whether the request goes on; otherwise it has not begun. */
  readonly isUnderWay: boolean
  readonly begin: () => void
  readonly refuse: (error: Error) => void
}

/** A caller within a network. */
class CallerTurns {
  underWay = 0
  lastTurn = 0
  /** Requests that go on, and requests that begin. */
  readonly resuming: Waiter[] = []
  readonly beginning: Waiter[] = []
  #isAnonymous: boolean | null = null

  /**
   * Whether a request with the credential of this caller is anonymous. Finding out takes a query, so
   * it is asked for the first of the requests that are here at once.
   */
  isAnonymous(request: TurnRequest): boolean {
    return (this.#isAnonymous ??= request.credential === '' || !request.isSignedIn())
  }

  get isWaiting(): boolean {
    return this.resuming.length + this.beginning.length > 0
  }

  get isIdle(): boolean {
    return this.underWay === 0 && !this.isWaiting
  }
}

class NetworkTurns {
  underWay = 0
  beginning = 0
  lastTurn = 0
  readonly callers = new Map<string, CallerTurns>()

  caller(credential: string): CallerTurns {
    let caller = this.callers.get(credential)
    if (!caller) this.callers.set(credential, (caller = new CallerTurns()))
    return caller
  }
}

type Candidate = {
  readonly waiter: Waiter
  readonly network: NetworkTurns
  readonly caller: CallerTurns
  readonly rank: number
}

/** What each turn looks at first: twice the load, once who is signed in, once who is not. */
const RANKS: readonly ((isHeavy: number, isAnonymous: number) => number)[] = [
  (isHeavy, isAnonymous) => 2 * isHeavy + isAnonymous,
  (isHeavy, isAnonymous) => 2 * isAnonymous + isHeavy,
  (isHeavy, isAnonymous) => 2 * isHeavy + isAnonymous,
  (isHeavy, isAnonymous) => 2 * (1 - isAnonymous) + isHeavy,
]

const isBefore = (a: Candidate, b: Candidate): boolean =>
  (a.rank - b.rank ||
    a.network.underWay - b.network.underWay ||
    a.network.lastTurn - b.network.lastTurn ||
    a.caller.underWay - b.caller.underWay ||
    a.caller.lastTurn - b.caller.lastTurn) < 0

export class TurnQueue {
  readonly #networks = new Map<string, NetworkTurns>()
  readonly #networkUse = new LoopUse()
  /** Of callers who are signed in, by their credentials. */
  readonly #callerUse = new LoopUse()
  #beginning = 0
  #resuming = 0
  #anonymousUnderWay = 0
  #turns = 0

  /** Requests that wait to begin. */
  get beginning(): number {
    return this.#beginning
  }

  /** Requests that wait to begin or to go on. */
  get size(): number {
    return this.#beginning + this.#resuming
  }

  get anonymousUnderWay(): number {
    return this.#anonymousUnderWay
  }

  /** How many requests of a network are under way. */
  underWay(network: string): number {
    return this.#networks.get(network)?.underWay ?? 0
  }

  /**
   * Whether a sender, whose network has no requests here, is light, and requests of heavy ones wait
   * but no others.
   */
  passesAll(sender: Pick<TurnSender, 'network' | 'credential'>, nowMs: number): boolean {
    const { network, credential } = sender
    if (this.size === 0 || this.#networks.has(network) || this.#isHeavy(network, credential, nowMs))
      return false
    for (const [name, { callers }] of this.#networks)
      for (const [other, { isWaiting }] of callers)
        if (isWaiting && !this.#isHeavy(name, other, nowMs)) return false
    return true
  }

  #isHeavy(network: string, credential: string, nowMs: number): boolean {
    return this.#networkUse.isHeavy(network, nowMs) || this.#callerUse.isHeavy(credential, nowMs)
  }

  add(request: TurnRequest, how: Pick<Waiter, 'isUnderWay' | 'begin' | 'refuse'>): void {
    const { network: name, credential } = request
    const network = this.#network(name)
    const caller = network.caller(credential)
    const waiter = { network: name, credential, isAnonymous: caller.isAnonymous(request), ...how }
    if (how.isUnderWay) {
      caller.resuming.push(waiter)
      this.#resuming++
    } else {
      caller.beginning.push(waiter)
      network.beginning++
      this.#beginning++
    }
  }

  /** Takes the waiter that is next out of the queue; null when none may begin. */
  takeNext(nowMs: number, mayBegin: (waiter: Waiter) => boolean): Waiter | null {
    const rank = RANKS[this.#turns++ % RANKS.length] ?? (() => 0)
    let best: Candidate | null = null
    for (const [name, network] of this.#networks) {
      for (const [credential, caller] of network.callers) {
        const isHeavy = Number(this.#isHeavy(name, credential, nowMs))
        const waiter = caller.resuming[0] ?? caller.beginning[0]
        if (!waiter || !mayBegin(waiter)) continue
        const order = rank(isHeavy, Number(waiter.isAnonymous))
        const candidate = { waiter, network, caller, rank: order }
        if (best === null || isBefore(candidate, best)) best = candidate
      }
    }
    if (best === null) return null
    best.network.lastTurn = best.caller.lastTurn = this.#turns
    this.#take(
      best.waiter,
      best.waiter.isUnderWay ? best.caller.resuming : best.caller.beginning,
      0,
    )
    return best.waiter
  }

  /**
   * Takes the newest waiter that has not begun out of the queue: one of the network with the most,
   * which is the given one when it has as many. Null when none waits.
   */
  takeNewest(network: string): Waiter | null {
    let most = this.#network(network)
    for (const other of this.#networks.values())
      if (other.beginning > most.beginning + 1) most = other
    const caller = [...most.callers.values()].reduce<CallerTurns | null>(
      (a, b) => (a && a.beginning.length >= b.beginning.length ? a : b),
      null,
    )
    const last = caller?.beginning.at(-1)
    if (!caller || !last) return null
    this.#take(last, caller.beginning, caller.beginning.length - 1)
    return last
  }

  #take(waiter: Waiter, from: Waiter[], index: number): void {
    from.splice(index, 1)
    if (waiter.isUnderWay) this.#resuming--
    else {
      this.#network(waiter.network).beginning--
      this.#beginning--
    }
    this.#forgetIdle(waiter)
  }

  /** Counts a request that has begun. */
  began(request: TurnRequest): TurnSender {
    const { network, credential } = request
    const turns = this.#network(network)
    const caller = turns.caller(credential)
    const isAnonymous = caller.isAnonymous(request)
    if (isAnonymous) this.#anonymousUnderWay++
    turns.underWay++
    caller.underWay++
    return { network, credential, isAnonymous }
  }

  ended(sender: TurnSender): void {
    if (sender.isAnonymous) this.#anonymousUnderWay--
    const network = this.#network(sender.network)
    network.underWay--
    network.caller(sender.credential).underWay--
    this.#forgetIdle(sender)
  }

  /** Counts milliseconds of the loop that a request has used. */
  addUse({ network, credential, isAnonymous }: TurnSender, ms: number, nowMs: number): void {
    this.#networkUse.add(network, ms, nowMs)
    if (!isAnonymous) this.#callerUse.add(credential, ms, nowMs)
  }

  #network(name: string): NetworkTurns {
    let network = this.#networks.get(name)
    if (!network) this.#networks.set(name, (network = new NetworkTurns()))
    return network
  }

  #forgetIdle({ network: name, credential }: TurnSender): void {
    const network = this.#networks.get(name)
    if (!network) return
    if (network.callers.get(credential)?.isIdle) network.callers.delete(credential)
    if (network.callers.size === 0) this.#networks.delete(name)
  }
}
