/**
 * The optional rate limit: counts requests by token, sign-in or address, and refuses those above
 * the documented numbers. Its headers follow draft-ietf-httpapi-ratelimit-headers. When it is off
 * (`limits.rate`), it does nothing and no response mentions it.
 */
import type { Hearth } from '#core/hearth.ts'
import { cache, service } from '#core/service.ts'
import { type Cache, SMALL_ENTRY_BYTES } from '#lib/cache.ts'
import { Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { networkOf } from '#lib/net.ts'
import {
  RATE_COUNTER_CACHE,
  RateCounter,
  type RateLimit,
  type RateWindow,
} from '#lib/rate-counter.ts'
import { HOUR, MINUTE, SECOND } from '#lib/time.ts'
import { callerOf } from './authenticate.ts'
import type { DoorName, Exchange, RateRefusal } from './exchange.ts'
import { gitCallerOf } from './git/git-credentials.ts'

/** Requests a minute. */
export const LIMITS = {
  api: { anonymous: 60, authenticated: 1000 },
  git: { anonymous: 120, authenticated: 1200 },
  pages: { anonymous: 600, authenticated: 1200, token: 1000, address: 3000 },
  costly: 30,
  signUpsAnHour: 5,
} as const

type Policy = 'anonymous' | 'authenticated'
type PolicyLimit = RateLimit & { readonly policy: Policy }

const rateWindows = cache<RateWindow>('rate-counter', RATE_COUNTER_CACHE)

/** Counts everything that has a rate limit, in one place for all entry points. */
export const rateCounter = service(
  'rate-counter',
  (hearth) => new RateCounter(hearth.clock, rateWindows(hearth)),
)

/** The beginning of the keys of sign-ups, which are counted by the network around an address. */
const SIGN_UP_PREFIX = 'sign-up '

/** Pages that cost more than others and can be read without signing in. */
const COSTLY_PATH = /^\/(search$|[^/]+\/[^/]+\/(search|runs|archive)(\/|$))|\/checks\/[^/]+\/log$/
/** A link to an archive gives access to whoever has it, as a token does. */
const ARCHIVE_PATH = /^\/_archive\/([^/]+)\//
/** Files that every page needs. They are in memory, and browsers cache them. */
const ASSET_PATH = /^\/assets\//

const headerOf = ({ policy, maxPerWindow, windowMs }: PolicyLimit): string =>
  `"${policy}";q=${maxPerWindow};w=${windowMs / SECOND}`

const MAX_CREDENTIALS = 100_000

/** Whether a credential, by its digest, was valid when it was last used. */
const credentialStates = cache<{ readonly isValid: boolean }>('credentials', {
  maxSize: MAX_CREDENTIALS * SMALL_ENTRY_BYTES,
  sizeOf: () => SMALL_ENTRY_BYTES,
})

export class RateLimiter {
  readonly #counter: RateCounter
  readonly #credentials: Cache<{ readonly isValid: boolean }>

  constructor(private readonly hearth: Hearth) {
    this.#counter = rateCounter(hearth)
    this.#credentials = credentialStates(hearth)
  }

  /** Counts a request before it is handled. Returns what it exceeds; null if it may go on. */
  check(exchange: Exchange): RateRefusal | null {
    if (
      !this.hearth.settings.limits.rate ||
      exchange.door === 'health' ||
      exchange.request.method === 'OPTIONS'
    )
      return null
    const limits = this.#limitsOf(exchange)
    exchange.rateLimitPolicy = limits[0] ? headerOf(limits[0]) : null
    for (const limit of limits) {
      const waitSeconds = this.#counter.take(limit)
      if (waitSeconds === null) continue
      exchange.rateLimitPolicy = headerOf(limit)
      return { policy: limit.policy, waitSeconds }
    }
    exchange.onFinish = (status) => this.#finish(exchange, limits, status)
    return null
  }

  /** Takes back what is not counted, and notes a credential that was refused. */
  #finish(exchange: Exchange, limits: readonly PolicyLimit[], status: number): void {
    if (status === 304) for (const limit of limits) this.#counter.undo(limit)
    // New accounts are counted, not a form that was filled in wrongly; that counts as a page.
    if (status !== 303)
      for (const limit of limits)
        if (limit.key.startsWith(SIGN_UP_PREFIX)) this.#counter.undo(limit)
    const credential = credentialOf(exchange)
    if (credential !== null && status === 401) this.#credentials.set(credential, { isValid: false })
  }

  /** Whether the credential is someone's. Guesses are counted by address. */
  #isValid(exchange: Exchange, credential: string): boolean {
    const known = this.#credentials.get(credential)
    if (known) return known.isValid
    try {
      const { hearth, request, door } = exchange
      const caller = door === 'git' ? gitCallerOf(hearth, request) : callerOf(hearth, request, '')
      if (caller.kind === 'anonymous') return false
      this.#credentials.set(credential, { isValid: true })
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'unauthenticated') this.#credentials.set(credential, { isValid: false })
      return false
    }
  }

  #limitsOf(exchange: Exchange): readonly PolicyLimit[] {
    const { door } = exchange
    const network = networkOf(exchange.origin.ip) ?? 'unknown'
    const credential = credentialOf(exchange)
    const validCredential =
      credential !== null && this.#isValid(exchange, credential) ? credential : null
    if (door === 'pages') return this.#pageLimitsOf(exchange, network, validCredential)
    const limits = door === 'git' ? LIMITS.git : LIMITS.api
    return validCredential === null
      ? [anonymousLimit(door, network)]
      : [limitOf(`${door} token ${validCredential}`, limits.authenticated, 'authenticated')]
  }

  /** Every page also counts against a high limit of its network, `all`. */
  #pageLimitsOf(
    { path, request, door, origin }: Exchange,
    network: string,
    credential: string | null,
  ): readonly PolicyLimit[] {
    const all = limitOf(`${door} all ${network}`, LIMITS.pages.address, 'anonymous')
    const link = ARCHIVE_PATH.exec(path)?.[1]
    if (link !== undefined) {
      const key = `${door} link ${digestOf(link)}`
      return [limitOf(key, LIMITS.pages.token, 'authenticated'), all]
    }
    if (ASSET_PATH.test(path)) return [all]
    if (path === '/register' && request.method === 'POST') {
      const signUps = {
        key: SIGN_UP_PREFIX + (networkOf(origin.ip, 24, 48) ?? 'unknown'),
        maxPerWindow: LIMITS.signUpsAnHour,
        policy: 'anonymous',
        windowMs: HOUR,
      } as const
      return [anonymousLimit(door, network), signUps, all]
    }
    if (credential !== null)
      return [limitOf(`${door} token ${credential}`, LIMITS.pages.token, 'authenticated'), all]
    const cookie = SIGN_IN_COOKIE.exec(request.headers.get('cookie') ?? '')?.[1]
    // A made-up cookie signs nobody in.
    if (cookie !== undefined && this.hearth.callers.bySignIn(cookie) !== null) {
      const key = `${door} session ${digestOf(cookie)}`
      return [limitOf(key, LIMITS.pages.authenticated, 'authenticated'), all]
    }
    const costly = COSTLY_PATH.test(path)
      ? [limitOf(`${door} costly ${network}`, LIMITS.costly, 'anonymous')]
      : []
    return [anonymousLimit(door, network), ...costly, all]
  }
}

const SIGN_IN_COOKIE = /(?:^|;\s*)(?:__Host-)?hearth=([^;]+)/

const digestOf = (secret: string): string => sha256(secret).slice(0, 32)

function credentialOf({ request }: Exchange): string | null {
  const header = request.headers.get('authorization')
  return header === null ? null : digestOf(header)
}

const limitOf = (key: string, maxPerWindow: number, policy: Policy): PolicyLimit => ({
  key,
  maxPerWindow,
  policy,
  windowMs: MINUTE,
})

/** For callers without a valid credential: requests of one network. */
function anonymousLimit(door: DoorName, network: string): PolicyLimit {
  const limits = door === 'pages' ? LIMITS.pages : door === 'git' ? LIMITS.git : LIMITS.api
  return limitOf(`${door} ${network}`, limits.anonymous, 'anonymous')
}
