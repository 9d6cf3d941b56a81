/**
 * Answers to reads, kept until anything changes. Agents ask the same thing again and again while
 * they wait; what was said is still true as long as nothing was committed since, here or by another
 * process, so neither rights nor records are looked up anew. Every commit, whatever it changes (a
 * revoked token, a moved branch), forgets all of them; so does a second of the clock, because some
 * answers depend on the time.
 */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Operation } from '#core/operation.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { SECOND } from '#lib/time.ts'
import { matches } from './etag.ts'
import { Exchange, finish } from './exchange.ts'

export type KeptAnswer = {
  readonly text: string
  readonly headers: Headers
  readonly etag: string
  readonly caller: Caller
  readonly operation: string
  readonly at: number
}

/** The same address asked for with the same credential is the same question. */
const keyOf = (request: Request): string =>
  `${request.headers.get('authorization') ?? ''}\n${request.url}`

const MOST_CHARACTERS = 4_000_000
const LONGEST_ANSWER = 32_000

/**
 * Whether the same question has the same answer until something changes: reads that wait, stream,
 * redirect or show a secret have not.
 */
export const isMemorable = (operation: Operation): boolean =>
  !operation.lines &&
  !operation.secretAnswer &&
  !operation.redirect &&
  operation.status === 200 &&
  !Object.hasOwn(operation.input.properties, 'wait')

export class AnswerMemo {
  readonly #answers: Cache<KeptAnswer> = createCache<KeptAnswer>({
    maxSize: MOST_CHARACTERS,
    sizeOf: ({ text }) => text.length + 500,
  })
  #state = ''

  constructor(private readonly hearth: Hearth) {}

  /** A word for what is committed now; take it before an answer is made, and hand it to `keep`. */
  state(): string {
    const state = this.hearth.writer.state()
    if (state !== this.#state) {
      this.#answers.clear()
      this.#state = state
    }
    return state
  }

  /**
   * The answer to a GET, when it is still true; null for everything else, which goes the long way.
   */
  answer(request: Request): Response | null {
    this.state()
    const kept = this.#answers.get(keyOf(request))
    if (!kept || Math.abs(this.hearth.clock.now() - kept.at) >= SECOND) return null
    const exchange = new Exchange(this.hearth, request)
    exchange.operation = kept.operation
    exchange.caller = kept.caller
    exchange.carriesId = true
    const headers = new Headers(kept.headers)
    headers.set('x-request-id', exchange.id)
    if (!matches(request.headers.get('if-none-match'), kept.etag))
      return finish(exchange, new Response(kept.text, { headers }))
    headers.delete('content-type')
    return finish(exchange, new Response(null, { status: 304, headers }))
  }

  /** Keeps an answer unless something was committed while it was made. */
  keep(request: Request, before: string, answer: Omit<KeptAnswer, 'at'>): void {
    if (answer.text.length > LONGEST_ANSWER || this.state() !== before) return
    this.#answers.set(keyOf(request), { ...answer, at: this.hearth.clock.now() })
  }
}
