/**
 * Slows down guessing. Tries at one account go one after the other, and each wrong password makes
 * the next try there wait longer, up to 8 seconds; a right one ends that. It goes by account alone,
 * never by the address that the tries come from (whole offices share one), and whoever signs in
 * elsewhere waits for nothing.
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
export const delayAfter = (wrong: number): number =>
  wrong === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (wrong - 1))

type Tries = { wrong: number; waiting: number; last: Promise<unknown>; at: number }

export type GuardOptions = {
  wait?: (milliseconds: number) => Promise<void>
  /**
   * Whether a right answer ends the waiting. Not where whoever guesses can have right answers of
   * their own.
   */
  forgives?: boolean
}

export class PasswordGuard {
  #tries = new Map<string, Tries>()
  readonly #wait: (milliseconds: number) => Promise<void>
  readonly #forgives: boolean

  constructor(
    private readonly now: () => number,
    {
      wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      forgives = true,
    }: GuardOptions = {},
  ) {
    this.#wait = wait
    this.#forgives = forgives
  }

  /**
   * Runs one check in its turn and gives its result. What went wrong before at the same `place`
   * counts too, but only against a name that was wrong itself: nobody waits for their neighbours
   * alone. Gives 429 when too many tries wait at this name.
   */
  async attempt(
    name: string,
    check: () => Promise<boolean>,
    place: string | null = null,
  ): Promise<boolean> {
    const tries = this.#of(name)
    if (tries.waiting >= MOST_WAITING) {
      throw new Refusal(
        'rate_limited',
        'too many people are trying to sign in to this account; wait a little',
        {
          reason: 'concurrency',
          headers: { 'Retry-After': String(LONGEST_DELAY_MS / 1000) },
        },
      )
    }
    tries.waiting++
    const mine = tries.last.then(async () => {
      const around = place === null || tries.wrong === 0 ? 0 : this.#of(place).wrong
      const delay = delayAfter(Math.max(tries.wrong, around))
      if (delay > 0) await this.#wait(delay)
      const right = await check()
      if (right && this.#forgives) tries.wrong = 0
      if (!right) {
        tries.wrong++
        if (place !== null) this.#blame(place)
      }
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

  #blame(place: string): void {
    const tries = this.#of(place)
    tries.wrong++
    tries.at = this.now()
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
