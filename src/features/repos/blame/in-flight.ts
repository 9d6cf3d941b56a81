/**
 * Runs at most one computation for each key at a time. Callers that come while one is running share
 * its promise.
 */
export class InFlight<T> {
  readonly #running = new Map<string, Promise<T>>()

  run(key: string, compute: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key)
    if (running) return running
    const started = compute().finally(() => this.#running.delete(key))
    // Callers that wait receive a failure. Without one it is dropped, and the next caller tries again.
    started.catch(() => {})
    this.#running.set(key, started)
    return started
  }
}
