/**
 * The optional limiter of requests: counts by token, sign-in or address in windows of a minute, and
 * refuses what is above the documented numbers. Off, it does nothing and no answer speaks of it
 * (draft-ietf-httpapi-ratelimit-headers for the fields).
 */
import type { Hearth } from '#core/hearth.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { parseAddress } from '#lib/net.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { callerOf } from './authenticate.ts'
import type { DoorName, Exchange } from './exchange.ts'
import { gitCallerOf } from './git-credentials.ts'

/** Requests a minute. */
export const LIMITS = {
  api: { anonymous: 60, authenticated: 1000 },
  git: { anonymous: 120, authenticated: 1200 },
  pages: { anonymous: 600, authenticated: 1200, token: 1000, address: 3000 },
  costly: 30,
  signUpsAnHour: 5,
} as const

type Policy = 'anonymous' | 'authenticated'
type Bucket = {
  readonly key: string
  readonly most: number
  readonly policy: Policy
  readonly window: number
}

/** Begins the keys of sign-ups, which are counted by the neighbourhood of an address. */
const SIGN_UP = 'sign-up '

/** So many keys are remembered; beyond it the least used are forgotten, and count anew. */
const MOST_KEYS = 200_000

/** What signed-out readers ask for that costs more than a page. */
const COSTLY = /^\/(search$|[^/]+\/[^/]+\/(search|runs|archive)(\/|$))|\/checks\/[^/]+\/log$/
/** A link to an archive is what lets its bearer in, like a token. */
const ARCHIVE = /^\/_archive\/([^/]+)\//
/** Files that every page needs; they are in memory, and browsers keep them. */
const ASSET = /^\/assets\//

/** Whoever has an address of IPv6 has 64 bits of them. */
export function networkOf(address: string, bits4 = 32, bits6 = 64): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const bytes = parseAddress(plain)
  if (!bytes) return 'unknown'
  const kept = (bytes.length === 4 ? bits4 : bits6) / 8
  return `${bytes.length === 4 ? 'a' : 'b'}${Buffer.from(bytes.subarray(0, kept)).toString('hex')}`
}

export type Verdict = {
  readonly policy: string | null
  readonly refused: { readonly policy: Policy; readonly wait: number } | null
}

const policyOf = ({ policy, most, window }: Bucket): string =>
  `"${policy}";q=${most};w=${window / 1000}`

const OFF: Verdict = { policy: null, refused: null }

export class Limiter {
  readonly #counts: Cache<{ count: number; until: number }> = createCache({
    maxSize: MOST_KEYS,
    sizeOf: () => 1,
  })
  /** Credentials that were refused, by their digest, and those that were not. */
  readonly #bad: Cache<true> = createCache({ maxSize: 50_000, sizeOf: () => 1 })
  readonly #good: Cache<true> = createCache({ maxSize: 50_000, sizeOf: () => 1 })
  readonly #taken = new WeakMap<Exchange, readonly Bucket[]>()

  constructor(private readonly hearth: Hearth) {}

  /** Counts a request before it is answered. */
  enter(exchange: Exchange): Verdict {
    if (
      !this.hearth.settings.limits.rate ||
      exchange.door === 'health' ||
      exchange.request.method === 'OPTIONS'
    )
      return OFF
    const buckets = this.#bucketsOf(exchange)
    this.#taken.set(exchange, buckets)
    for (const bucket of buckets) {
      const left = this.#take(bucket)
      if (left !== null)
        return { policy: policyOf(bucket), refused: { policy: bucket.policy, wait: left } }
    }
    const [first] = buckets
    return { policy: first ? policyOf(first) : null, refused: null }
  }

  /**
   * Learns from the answer: what changed nothing is not counted, and a credential that ended is
   * none.
   */
  leave(exchange: Exchange, status: number): void {
    const buckets = this.#taken.get(exchange)
    if (!buckets) return
    if (status === 304) for (const bucket of buckets) this.#give(bucket)
    // Accounts are counted, not attempts at a form that is filled in wrongly; these count as pages.
    if (status !== 303)
      for (const bucket of buckets) if (bucket.key.startsWith(SIGN_UP)) this.#give(bucket)
    const credential = this.#credentialOf(exchange)
    if (credential === null) return
    if (status === 401) this.#bad.set(credential, true)
  }

  #credentialOf({ request }: Exchange): string | null {
    const header = request.headers.get('authorization')
    return header === null ? null : sha256(header).slice(0, 32)
  }

  /** Whether somebody has this credential; whoever guesses is counted by address. */
  #isGood(exchange: Exchange, credential: string): boolean {
    if (this.#bad.get(credential)) return false
    if (this.#good.get(credential)) return true
    try {
      const { hearth, request, door } = exchange
      const caller = door === 'git' ? gitCallerOf(hearth, request) : callerOf(hearth, request, '')
      if (caller.kind === 'anonymous') return false
      this.#good.set(credential, true)
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'unauthenticated') this.#bad.set(credential, true)
      return false
    }
  }

  /**
   * Whoever cannot be told apart otherwise: an address, and also what it tries with credentials
   * that are none.
   */
  #anonymous(door: DoorName, network: string): Bucket {
    const most =
      door === 'pages'
        ? LIMITS.pages.anonymous
        : door === 'git'
          ? LIMITS.git.anonymous
          : LIMITS.api.anonymous
    return { key: `${door} ${network}`, most, policy: 'anonymous', window: MINUTE }
  }

  #bucketsOf(exchange: Exchange): readonly Bucket[] {
    const { door, path, request } = exchange
    const network = networkOf(exchange.origin.ip ?? '')
    const credential = this.#credentialOf(exchange)
    const known = credential !== null && this.#isGood(exchange, credential)
    const bucket = (
      key: string,
      most: number,
      policy: Policy,
      window: number = MINUTE,
    ): Bucket => ({ key: `${door} ${key}`, most, policy, window })
    if (door === 'pages') {
      const cookie = /(?:^|;\s*)(?:__Host-)?hearth=([^;]+)/.exec(
        request.headers.get('cookie') ?? '',
      )?.[1]
      const all = bucket(`all ${network}`, LIMITS.pages.address, 'anonymous')
      const link = ARCHIVE.exec(path)?.[1]
      if (link !== undefined)
        return [
          bucket(`link ${sha256(link).slice(0, 32)}`, LIMITS.pages.token, 'authenticated'),
          all,
        ]
      if (ASSET.test(path)) return [all]
      if (path === '/register' && request.method === 'POST') {
        const neighbourhood = networkOf(exchange.origin.ip ?? '', 24, 48)
        return [
          this.#anonymous(door, network),
          {
            key: `${SIGN_UP}${neighbourhood}`,
            most: LIMITS.signUpsAnHour,
            policy: 'anonymous',
            window: HOUR,
          },
          all,
        ]
      }
      if (known) return [bucket(`token ${credential}`, LIMITS.pages.token, 'authenticated'), all]
      // A cookie that anybody made up signs nobody in.
      if (cookie !== undefined && this.hearth.callers.bySignIn(cookie) !== null)
        return [
          bucket(
            `session ${sha256(cookie).slice(0, 32)}`,
            LIMITS.pages.authenticated,
            'authenticated',
          ),
          all,
        ]
      const costly = COSTLY.test(path)
        ? [bucket(`costly ${network}`, LIMITS.costly, 'anonymous')]
        : []
      return [this.#anonymous(door, network), ...costly, all]
    }
    const limits = door === 'git' ? LIMITS.git : LIMITS.api
    return known
      ? [bucket(`token ${credential}`, limits.authenticated, 'authenticated')]
      : [this.#anonymous(door, network)]
  }

  /** Null when there was room; else the seconds until there is. */
  #take({ key, most, window }: Bucket): number | null {
    const now = this.hearth.clock.now()
    let count = this.#counts.get(key)
    if (!count || count.until <= now || count.until > now + window)
      this.#counts.set(key, (count = { count: 0, until: now + window }))
    if (count.count >= most) return Math.max(1, Math.ceil((count.until - now) / 1000))
    count.count++
    return null
  }

  #give({ key }: Bucket): void {
    const count = this.#counts.get(key)
    if (count && count.count > 0) count.count--
  }
}
