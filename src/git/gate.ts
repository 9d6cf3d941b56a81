/**
 * Lets a bounded number of operations run at once. Who waits is served by turns and not by arrival
 * alone: first whose party has the fewest inside, then whose store has, then who came first. So one
 * who asks for fifty things holds nobody up who asks for one, and a repository that everybody wants
 * leaves room for the others.
 */
import { GitError } from './ports.ts'

/** Whose work it is, and on what. */
export type Turn = {
  readonly party: string
  readonly store: string
  readonly signal?: AbortSignal | null
}

/** More than this waiting is more than can be done in any time that somebody would wait. */
export const MOST_WAITING = 256

type Waiting = Turn & { readonly go: () => void }

class Counts {
  private readonly counts = new Map<string, number>()

  of(key: string): number {
    return this.counts.get(key) ?? 0
  }

  add(key: string, by: number): void {
    const count = this.of(key) + by
    if (count === 0) this.counts.delete(key)
    else this.counts.set(key, count)
  }
}

export class Gate {
  private inside = 0
  private readonly parties = new Counts()
  private readonly stores = new Counts()
  private readonly line: Waiting[] = []

  /**
   * Of the `limit` places one party may have `share`, so that there is always one for somebody
   * else.
   */
  constructor(
    private readonly limit: number,
    private readonly share: number = Math.max(1, limit - 1),
  ) {}

  get running(): number {
    return this.inside
  }

  get waiting(): number {
    return this.line.length
  }

  /** Whether there is a place for somebody who is done with it at once. */
  isFree(party: string): boolean {
    return this.inside < this.limit && this.parties.of(party) < this.share
  }

  /**
   * Waits for a place; the function that it gives frees the place. Throws GitError `aborted` when
   * the signal comes first, and `busy` when too many wait already.
   */
  async enter({ party, store, signal }: Turn): Promise<() => void> {
    if (signal?.aborted) throw new GitError('aborted', 'the request was given up')
    if (this.inside >= this.limit || this.parties.of(party) >= this.share) {
      if (this.line.length >= MOST_WAITING)
        throw new GitError('busy', 'too much work waits already; try again in a moment')
      await new Promise<void>((resolve, reject) => {
        const stop = () => {
          const at = this.line.indexOf(one)
          if (at >= 0) this.line.splice(at, 1)
          reject(new GitError('aborted', 'the request was given up'))
        }
        const one: Waiting = {
          party,
          store,
          go: () => {
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        this.line.push(one)
        signal?.addEventListener('abort', stop, { once: true })
      })
    } else this.take(party, store)
    let left = false
    return () => {
      if (left) return
      left = true
      this.inside--
      this.parties.add(party, -1)
      this.stores.add(store, -1)
      this.serve()
    }
  }

  private take(party: string, store: string): void {
    this.inside++
    this.parties.add(party, 1)
    this.stores.add(store, 1)
  }

  /**
   * Gives free places to those whose turn it is. They are taken at once: who comes meanwhile does
   * not get in before.
   */
  private serve(): void {
    while (this.inside < this.limit) {
      let best: Waiting | null = null
      for (const one of this.line) {
        if (this.parties.of(one.party) < this.share && (best === null || this.isBefore(one, best)))
          best = one
      }
      if (best === null) return
      this.line.splice(this.line.indexOf(best), 1)
      this.take(best.party, best.store)
      best.go()
    }
  }

  private isBefore(one: Waiting, other: Waiting): boolean {
    const by =
      this.parties.of(one.party) - this.parties.of(other.party) ||
      this.stores.of(one.store) - this.stores.of(other.store)
    return by < 0
  }
}
