/** How much of the event loop each of many has lately used. */
import { SECOND } from '#lib/time.ts'

/** Who has used more of the loop than this is heavy. What was used halves every second. */
const MAX_LIGHT_MS = 250
const HALF_LIFE_MS = SECOND
/** Names whose use is known. */
const MAX_NAMES = 1024

/** How many milliseconds were used, and when that was counted. */
type Use = { readonly ms: number; readonly atMs: number }

const remaining = ({ ms, atMs }: Use, nowMs: number): number =>
  ms * 0.5 ** ((nowMs - atMs) / HALF_LIFE_MS)

export class LoopUse {
  /** In the order in which they were counted last. */
  readonly #uses = new Map<string, Use>()

  add(name: string, ms: number, nowMs: number): void {
    const use = { ms: this.#of(name, nowMs) + ms, atMs: nowMs }
    this.#uses.delete(name)
    this.#uses.set(name, use)
    if (this.#uses.size <= MAX_NAMES) return
    for (const oldest of this.#uses.keys()) {
      this.#uses.delete(oldest)
      return
    }
  }

  isHeavy(name: string, nowMs: number): boolean {
    return this.#of(name, nowMs) > MAX_LIGHT_MS
  }

  #of(name: string, nowMs: number): number {
    const use = this.#uses.get(name)
    return use === undefined ? 0 : remaining(use, nowMs)
  }
}
