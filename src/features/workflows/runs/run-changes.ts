/** Tells live pages and streams that a run, one of its jobs or a log changed. */
import { service } from '#core/service.ts'

class RunChanges {
  readonly #listeners = new Map<string, Set<() => void>>()

  /** Calls a function after each change of a run. Returns the function that ends this. */
  listen(run_id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(run_id) ?? new Set()
    this.#listeners.set(run_id, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(run_id)
    }
  }

  notify(run_id: string): void {
    for (const listener of [...(this.#listeners.get(run_id) ?? [])]) listener()
  }
}

export const runChanges = service('changes of runs', () => new RunChanges())
