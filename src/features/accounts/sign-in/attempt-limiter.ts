/**
 * Limits guessing of secrets. Attempts with one key (an account) run one after another. Each wrong
 * attempt doubles the delay before the next one with that key, up to 8 seconds. A correct attempt
 * resets the delay. The key is the account, never the network address, because whole offices share
 * one. A user who is signed in elsewhere is not delayed.
 *
 * Names without an account are delayed in the same way, so the delay does not reveal them.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { HOUR } from '#lib/time.ts'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 8_000
/** Waiting attempts per key. More would only delay the owner of the account. */
const MAX_WAITING = 4
const MAX_KEYS = 10_000
const FORGET_AFTER_MS = HOUR

/** The delay before the next attempt, by the number of wrong ones before it. */
export const delayAfter = (wrong: number): number =>
  wrong === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (wrong - 1))

type AttemptState = { wrong: number; waiting: number; last: Promise<unknown>; at: number }

export type AttemptLimiterOptions = {
  wait?: (milliseconds: number) => Promise<void>
  /** Whether a correct attempt resets the delay. Not where a guesser can make correct attempts. */
  resetsOnSuccess?: boolean
}

export class AttemptLimiter {
  readonly #states = new Map<string, AttemptState>()
  readonly #wait: (milliseconds: number) => Promise<void>
  readonly #resetsOnSuccess: boolean

  constructor(
    private readonly now: () => number,
    {
      wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      resetsOnSuccess = true,
    }: AttemptLimiterOptions = {},
  ) {
    this.#wait = wait
    this.#resetsOnSuccess = resetsOnSuccess
  }

  /**
   * Runs one check after the earlier ones with the same key and returns its result. Wrong attempts
   * from the same `network` count too, but only against a key that was wrong itself, so users are
   * not delayed by their neighbours alone. Throws 429 when too many attempts wait at this key.
   */
  async attempt(
    key: string,
    check: () => Promise<boolean>,
    network: string | null = null,
  ): Promise<boolean> {
    const state = this.#stateOf(key)
    if (state.waiting >= MAX_WAITING) {
      throw new Refusal(
        'rate_limited',
        'too many people are trying to sign in to this account; wait a little',
        {
          reason: 'concurrency',
          headers: { 'Retry-After': String(MAX_DELAY_MS / 1000) },
        },
      )
    }
    state.waiting++
    const result = state.last.then(async () => {
      const wrongInNetwork =
        network === null || state.wrong === 0 ? 0 : this.#stateOf(network).wrong
      const delayMs = delayAfter(Math.max(state.wrong, wrongInNetwork))
      if (delayMs > 0) await this.#wait(delayMs)
      const isCorrect = await check()
      if (isCorrect && this.#resetsOnSuccess) state.wrong = 0
      if (!isCorrect) {
        state.wrong++
        if (network !== null) this.#recordWrong(network)
      }
      return isCorrect
    })
    state.last = result.catch(() => {})
    try {
      return await result
    } finally {
      state.waiting--
      state.at = this.now()
      if (state.wrong === 0 && state.waiting === 0) this.#states.delete(key)
    }
  }

  #recordWrong(network: string): void {
    const state = this.#stateOf(network)
    state.wrong++
    state.at = this.now()
  }

  #stateOf(key: string): AttemptState {
    const now = this.now()
    let state = this.#states.get(key)
    if (state && state.waiting === 0 && state.at < now - FORGET_AFTER_MS) state = undefined
    state ??= { wrong: 0, waiting: 0, last: Promise.resolve(), at: now }
    // Inserted again at the end, so the first key of the map is the least recently used one.
    this.#states.delete(key)
    this.#states.set(key, state)
    if (this.#states.size > MAX_KEYS) {
      const [oldest] = this.#states.keys()
      if (oldest !== undefined) this.#states.delete(oldest)
    }
    return state
  }
}

/**
 * The limiter of password and second factor attempts. A restart clears it, which callers cannot
 * cause.
 */
export const signInAttempts = service(
  'sign-in attempts',
  ({ clock }: Hearth) => new AttemptLimiter(() => clock.now()),
)
