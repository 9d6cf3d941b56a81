/**
 * Cryptography runs on the thread of the event loop. Encryption takes about 4 ms for a megabyte, and
 * a sign-in about 2 ms. Packets of many connections arrive in one turn of the event loop, and clients
 * take as much as they are given. So all connections together get a part of each turn.
 */

export class WorkTurns {
  #done = 0
  #isScheduled = false
  /** In the order in which they came, so that no connection waits for ever. */
  readonly #waiting: (() => number)[] = []

  /** In one turn work begins until this amount of it is done. */
  constructor(private readonly maxAmount: number) {}

  /** Calls a function now or in a later turn. It returns the amount of work that it did. */
  run(work: () => number): void {
    if (this.#waiting.length > 0 || this.#done >= this.maxAmount) this.#waiting.push(work)
    else this.#done += work()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isScheduled = false
    this.#done = 0
    while (this.#done < this.maxAmount) {
      const work = this.#waiting.shift()
      if (!work) return
      this.#done += work()
    }
    this.#schedule()
  }
}

const MAX_ENCRYPTED_BYTES = 256 * 1024

/** Functions return how many bytes they encrypted. */
export const encryptionTurns = (): WorkTurns => new WorkTurns(MAX_ENCRYPTED_BYTES)

/** A turn answers one exchange of keys, or verifies one signature. Functions return 1. */
export const signInTurns = (): WorkTurns => new WorkTurns(1)
