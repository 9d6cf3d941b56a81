/**
 * Limits guessing of secrets. Each wrong attempt doubles the delay before the next one with the
 * same key (an account), up to 8 seconds, and attempts with one key run one after another. A
 * correct attempt resets the delay.
 *
 * Strangers must not keep the owner of an account out. So attempts from a known source, where the
 * owner signed in before, have a queue and a delay of their own. All other sources share one queue,
 * in which networks take turns and each has few places. A client that disconnects leaves the queue.
 *
 * Names without an account are delayed in the same way, so the delay does not reveal them.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { HOUR } from '#lib/time.ts'
import { sleep } from '#lib/waiting.ts'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 8_000
/** Attempts of one source that wait for the one that runs. */
const MAX_WAITING_PER_SOURCE = 3
/** Waiting attempts of all sources with one key. */
const MAX_WAITING = 64
const MAX_KEYS = 10_000
const FORGET_AFTER_MS = HOUR

/** The delay before the next attempt, by the number of wrong ones before it. */
export const delayAfter = (wrong: number): number =>
  wrong === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (wrong - 1))

/** Where an attempt comes from: a network, or a browser that signed in before. */
export type AttemptSource = {
  readonly id: string
  /** Whether the owner of the account signed in from it before. */
  readonly isKnown: boolean
}

const ANY_SOURCE: AttemptSource = { id: '', isKnown: false }

export type AttemptOptions = {
  readonly source?: AttemptSource
  /**
   * Wrong attempts from the same network count too, but only against a key that was wrong itself,
   * so users are not delayed by their neighbours alone.
   */
  readonly network?: string | null
  /** Aborts when nobody waits for the result any more. */
  readonly signal?: AbortSignal | null
}

const tooMany = (): Refusal =>
  new Refusal(
    'rate_limited',
    'too many people are trying to sign in to this account; wait a little',
    {
      reason: 'concurrency',
      headers: { 'Retry-After': String(MAX_DELAY_MS / 1000) },
    },
  )

/** The attempts with one key. */
class AttemptState {
  wrong = 0
  /** When an attempt was wrong last, and when one ended. */
  wrongAt = 0
  endedAt: number
  pending = 0
  readonly queue = new FairSemaphore({
    limit: 1,
    maxWaiting: MAX_WAITING,
    maxWaitingPerCaller: MAX_WAITING_PER_SOURCE,
    fullError: tooMany,
  })

  constructor(now: number) {
    this.endedAt = now
  }
}

export type AttemptLimiterOptions = {
  wait?: (milliseconds: number, signal: AbortSignal | null) => Promise<void>
  /** Whether a correct attempt resets the delay. Not where a guesser can make correct attempts. */
  resetsOnSuccess?: boolean
}

export class AttemptLimiter {
  readonly #states = new Map<string, AttemptState>()
  readonly #wait: (milliseconds: number, signal: AbortSignal | null) => Promise<void>
  readonly #resetsOnSuccess: boolean

  constructor(
    private readonly now: () => number,
    { wait = sleep, resetsOnSuccess = true }: AttemptLimiterOptions = {},
  ) {
    this.#wait = wait
    this.#resetsOnSuccess = resetsOnSuccess
  }

  /**
   * Runs one check after the earlier ones and returns its result. Throws 429 when too many attempts
   * of the source, or of all sources that are not known, wait at this key.
   */
  async attempt(
    key: string,
    check: () => Promise<boolean>,
    { source = ANY_SOURCE, network = null, signal = null }: AttemptOptions = {},
  ): Promise<boolean> {
    const state = this.#stateOf(source.isKnown ? `${key}\n${source.id}` : key)
    state.pending++
    try {
      const release = await state.queue.acquire({ caller: source.id, signal })
      try {
        return await this.#checkAfterDelay(state, check, network, signal)
      } finally {
        release()
      }
    } finally {
      state.pending--
      state.endedAt = this.now()
    }
  }

  async #checkAfterDelay(
    state: AttemptState,
    check: () => Promise<boolean>,
    network: string | null,
    signal: AbortSignal | null,
  ): Promise<boolean> {
    const wrongInNetwork = network === null || state.wrong === 0 ? 0 : this.#stateOf(network).wrong
    const delayMs = delayAfter(Math.max(state.wrong, wrongInNetwork))
    const remainingMs = delayMs - (this.now() - state.wrongAt)
    if (delayMs > 0 && remainingMs > 0) await this.#wait(Math.min(delayMs, remainingMs), signal)
    const isCorrect = await check()
    if (isCorrect && this.#resetsOnSuccess) state.wrong = 0
    if (!isCorrect) {
      this.#recordWrong(state)
      if (network !== null) this.#recordWrong(this.#stateOf(network))
    }
    return isCorrect
  }

  #recordWrong(state: AttemptState): void {
    state.wrong++
    state.wrongAt = state.endedAt = this.now()
  }

  #stateOf(key: string): AttemptState {
    const now = this.now()
    let state = this.#states.get(key)
    if (state && state.pending === 0 && state.endedAt < now - FORGET_AFTER_MS) state = undefined
    state ??= new AttemptState(now)
    // Inserted again at the end, so the first key of the map is the least recently used one.
    this.#states.delete(key)
    this.#states.set(key, state)
    if (this.#states.size > MAX_KEYS) this.#forgetOne()
    return state
  }

  /** Forgets the least recently used key whose attempts have ended. */
  #forgetOne(): void {
    for (const [key, { pending }] of this.#states) {
      if (pending > 0) continue
      this.#states.delete(key)
      return
    }
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
