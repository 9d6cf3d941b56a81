/**
 * Messages of threads are handled in turns. What a message brings is mostly the rest of a request,
 * such as a page that is put together now, and dozens may arrive while the event loop does one thing.
 * The loop handles them for some milliseconds, then looks for new requests, and goes on afterwards.
 */
import { drainMicrotasks } from 'bun:jsc'

/** The loop handles messages for so long before it looks for requests. */
const MAX_TURN_MS = 2

export class MessageTurns {
  readonly #waiting: (() => void)[] = []
  #turnBeganMs = 0
  #isInTurn = false

  constructor(
    private readonly now: () => number = () => performance.now(),
    /** Calls a function in the next turn of the event loop. */
    private readonly later: (run: () => void) => void = (run) => void setImmediate(run),
  ) {}

  /** Handles a message now, or when its turn comes. Messages keep their order. */
  run(handle: () => void): void {
    if (!this.#isInTurn) this.#beginTurn()
    if (this.#waiting.length > 0 || this.#isOver) this.#waiting.push(handle)
    else handle()
  }

  get #isOver(): boolean {
    return this.now() - this.#turnBeganMs > MAX_TURN_MS
  }

  #beginTurn(): void {
    this.#isInTurn = true
    this.#turnBeganMs = this.now()
    this.later(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isInTurn = false
    if (this.#waiting.length === 0) return
    this.#beginTurn()
    do {
      this.#waiting.shift()?.()
      // What waits for the message belongs to its turn.
      drainMicrotasks()
    } while (this.#waiting.length > 0 && !this.#isOver)
  }
}

/** Those of this thread. */
export const messageTurns = new MessageTurns()
