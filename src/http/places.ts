/**
 * Transfers of git, so many at once of one caller: the others of the same caller wait, and nobody
 * else does.
 */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'

/** More than this waiting is more than can be served in any time that a client would wait. */
const MOST_WAITING = 256

const ofForge = new WeakMap<Hearth, Places>()

/** The places of a forge, which its doors share. */
export function placesOf(hearth: Hearth): Places {
  let places = ofForge.get(hearth)
  if (!places)
    ofForge.set(hearth, (places = new Places(() => hearth.settings.git.places_per_caller)))
  return places
}

export class Places {
  readonly #inside = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  #count = 0

  /** `most` is asked each time, since it may change. */
  constructor(private readonly most: () => number) {}

  get waiting(): number {
    return this.#count
  }

  /** Whether there is a place for something of this caller that is done at once. */
  hasRoom(who: string): boolean {
    return (this.#inside.get(who) ?? 0) < this.most()
  }

  /**
   * Waits for a place of this caller; the function that it gives frees it. Gives 503 when too many
   * wait, and the signal's reason when it ends first.
   */
  async enter(who: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const inside = this.#inside.get(who) ?? 0
    if (inside < this.most()) this.#inside.set(who, inside + 1)
    else {
      if (this.#count >= MOST_WAITING)
        throw new Refusal('unavailable', 'too many transfers wait already; try again in a moment', {
          reason: 'concurrency',
          headers: { 'retry-after': '30' },
        })
      await this.#wait(who, signal)
    }
    let left = false
    return () => {
      if (left) return
      left = true
      const next = this.#waiting.get(who)?.shift()
      // The place goes straight to the next one in line.
      if (next) return next()
      const now = (this.#inside.get(who) ?? 1) - 1
      if (now === 0) this.#inside.delete(who)
      else this.#inside.set(who, now)
    }
  }

  #wait(who: string, signal: AbortSignal): Promise<void> {
    const line = this.#waiting.get(who) ?? []
    this.#waiting.set(who, line)
    this.#count++
    return new Promise<void>((resolve, reject) => {
      const done = () => {
        this.#count--
        signal.removeEventListener('abort', stop)
        if (line.length === 0) this.#waiting.delete(who)
      }
      const go = () => {
        done()
        resolve()
      }
      const stop = () => {
        line.splice(line.indexOf(go), 1)
        done()
        reject(signal.reason)
      }
      line.push(go)
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}
