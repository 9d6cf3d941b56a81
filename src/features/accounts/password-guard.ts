/**
 * Slows down guessing. Tries at one account go one after the other, and each wrong password makes the next try there wait
 * longer, up to 8 seconds; a right one ends that. It goes by account alone, never by the address that the tries come from
 * (whole offices share one), and whoever signs in elsewhere waits for nothing.
 *
 * Names that no account has are slowed in the same way, so that the wait does not tell them apart.
 */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { HOUR } from '#lib/time.ts'

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 8_000
/** Tries that may wait at one account: more would only make its owner wait longer. */
const MOST_WAITING = 4
const MOST_NAMES = 10_000
const FORGET_MS = HOUR

/** How long the next try waits after so many wrong ones. */
export const delayAfter = (wrong: number): number => (wrong === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (wrong - 1)))

type Tries = { wrong: number; waiting: number; last: Promise<unknown>; at: number }

export class PasswordGuard {
  #tries = new Map<string, Tries>()

  constructor(
    private readonly now: () => number,
    private readonly wait: (milliseconds: number) => Promise<void> = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  ) {}

  /** Runs one check in its turn and gives its result. Gives 429 when too many tries wait at this account. */
  async attempt(name: string, check: () => Promise<boolean>): Promise<boolean> {
    const tries = this.#of(name)
    if (tries.waiting >= MOST_WAITING) {
      throw new Refusal('rate_limited', 'too many people are trying to sign in to this account; wait a little', {
        reason: 'concurrency', headers: { 'Retry-After': String(LONGEST_DELAY_MS / 1000) },
      })
    }
    tries.waiting++
    const mine = tries.last.then(async () => {
      const delay = delayAfter(tries.wrong)
      if (delay > 0) await this.wait(delay)
      const right = await check()
      tries.wrong = right ? 0 : tries.wrong + 1
      return right
    })
    tries.last = mine.catch(() => {})
    try {
      return await mine
    } finally {
      tries.waiting--
      tries.at = this.now()
      if (tries.wrong === 0 && tries.waiting === 0) this.#tries.delete(name)
    }
  }

  #of(name: string): Tries {
    const now = this.now()
    let tries = this.#tries.get(name)
    if (tries && tries.waiting === 0 && tries.at < now - FORGET_MS) tries = undefined
    tries ??= { wrong: 0, waiting: 0, last: Promise.resolve(), at: now }
    // Put back at the end, so that the first in the map is the one that was not tried for longest.
    this.#tries.delete(name)
    this.#tries.set(name, tries)
    if (this.#tries.size > MOST_NAMES) {
      const [oldest] = this.#tries.keys()
      if (oldest !== undefined) this.#tries.delete(oldest)
    }
    return tries
  }
}

const guards = new WeakMap<Hearth['settings'], PasswordGuard>()

/** The guard of a forge. What it knows is lost at a restart, which strangers cannot cause. */
export function guardOf({ settings, clock }: Pick<Hearth, 'settings' | 'clock'>): PasswordGuard {
  let guard = guards.get(settings)
  if (!guard) guards.set(settings, (guard = new PasswordGuard(() => clock.now())))
  return guard
}
