/**
 * What was found a moment ago for the same credential and repository: a fetch is several requests,
 * one right after the other. It still holds as long as nothing was committed since, here or by
 * another process; every commit, whatever it changes, forgets all of it, and so does a second of
 * the clock, because a token may end by the time alone.
 */
import type { RefSnapshot } from '#git'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { SECOND } from '#lib/time.ts'

/** Who asks, where the objects are and which refs are seen. */
export type Opened = { readonly caller: Caller; readonly store: string; readonly refs: RefSnapshot }

const MOST = 1000

export class RightsMemo {
  readonly #opened: Cache<Opened & { readonly at: number }> = createCache({
    maxSize: MOST,
    sizeOf: () => 1,
  })
  #state = ''

  constructor(private readonly hearth: Pick<Hearth, 'writer' | 'clock'>) {}

  /** A word for what is committed now; take it before anything is asked, and hand it to `keep`. */
  state(): string {
    const state = this.hearth.writer.state()
    if (state !== this.#state) {
      this.#opened.clear()
      this.#state = state
    }
    return state
  }

  find(credential: string, repo: string): Opened | null {
    this.state()
    const kept = this.#opened.get(`${credential}\n${repo}`)
    return kept && Math.abs(this.hearth.clock.now() - kept.at) < SECOND ? kept : null
  }

  /** Keeps it unless something was committed while it was found. */
  keep(credential: string, repo: string, before: string, opened: Opened): void {
    if (this.state() === before)
      this.#opened.set(`${credential}\n${repo}`, { ...opened, at: this.hearth.clock.now() })
  }
}
