/**
 * Encryption runs on the thread of the event loop, about 4 ms for a megabyte. Clients that take as much as
 * they are given would keep it from everything else, so all connections together get a part of
 * each turn.
 */

const MAX_BYTES_A_TURN = 256 * 1024

export class EncryptionTurns {
  #bytes = 0
  #isScheduled = false
  /** In the order in which they came, so that no connection waits for ever. */
  readonly #waiting: (() => number)[] = []

  /** Calls a function that encrypts, now or in a later turn. It returns how many bytes it encrypted. */
  run(encrypt: () => number): void {
    if (this.#waiting.length > 0 || this.#bytes >= MAX_BYTES_A_TURN) this.#waiting.push(encrypt)
    else this.#bytes += encrypt()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isScheduled = false
    this.#bytes = 0
    while (this.#bytes < MAX_BYTES_A_TURN) {
      const encrypt = this.#waiting.shift()
      if (!encrypt) return
      this.#bytes += encrypt()
    }
    this.#schedule()
  }
}
