/**
 * The optional limiter of requests: counts by token, sign-in or address in windows of a minute, and refuses what is above the
 * documented numbers. Off, it does nothing and no answer speaks of it (draft-ietf-httpapi-ratelimit-headers for the fields).
 */
import type { Hearth } from '#core/hearth.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { sha256 } from '#lib/hash.ts'
import { parseAddress } from '#lib/net.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import type { Exchange } from './exchange.ts'

/** Requests a minute. */
export const LIMITS = {
  api: { anonymous: 60, authenticated: 1000 },
  git: { anonymous: 120, authenticated: 1200 },
  pages: { anonymous: 600, authenticated: 1200, token: 1000, address: 3000 },
  costly: 30,
  signUpsAnHour: 5,
} as const

type Policy = 'anonymous' | 'authenticated'
type Bucket = { readonly key: string; readonly most: number; readonly policy: Policy; readonly window: number }

/** So many keys are remembered; beyond it the least used are forgotten, and count anew. */
const MOST_KEYS = 200_000

/** What signed-out readers ask for that costs more than a page. */
const COSTLY = /^\/(_archive\/|search$|[^/]+\/[^/]+\/(search|runs|archive)(\/|$))|\/checks\/[^/]+\/log$/

/** Whoever has an address of IPv6 has 64 bits of them. */
export function networkOf(address: string, bits4 = 32, bits6 = 64): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const bytes = parseAddress(plain)
  if (!bytes) return 'unknown'
  const kept = (bytes.length === 4 ? bits4 : bits6) / 8
  return `${bytes.length === 4 ? 'a' : 'b'}${Buffer.from(bytes.subarray(0, kept)).toString('hex')}`
}

export type Verdict = { readonly policy: string | null; readonly refused: { readonly policy: Policy; readonly wait: number } | null }

const OFF: Verdict = { policy: null, refused: null }

export class Limiter {
  readonly #counts: Cache<{ count: number; until: number }> = createCache({ maxSize: MOST_KEYS, sizeOf: () => 1 })
  /** Credentials that were refused, by their digest, and those that were not. */
  readonly #bad: Cache<true> = createCache({ maxSize: 50_000, sizeOf: () => 1 })
  readonly #good: Cache<true> = createCache({ maxSize: 50_000, sizeOf: () => 1 })
  readonly #taken = new WeakMap<Exchange, readonly Bucket[]>()

  constructor(private readonly hearth: Hearth) {}

  /** Counts a request before it is answered. */
  enter(exchange: Exchange): Verdict {
    if (!this.hearth.settings.limits.rate || exchange.door === 'health' || exchange.request.method === 'OPTIONS') return OFF
    const buckets = this.#bucketsOf(exchange)
    this.#taken.set(exchange, buckets)
    for (const bucket of buckets) {
      const left = this.#take(bucket)
      if (left !== null) return { policy: null, refused: { policy: bucket.policy, wait: left } }
    }
    const [first] = buckets
    return { policy: first ? `"${first.policy}";q=${first.most};w=${first.window / 1000}` : null, refused: null }
  }

  /** Learns from the answer: what changed nothing is not counted, and a bad credential counts against its address. */
  leave(exchange: Exchange, status: number): void {
    const buckets = this.#taken.get(exchange)
    if (!buckets) return
    if (status === 304) for (const bucket of buckets) this.#give(bucket)
    const credential = this.#credentialOf(exchange)
    if (credential === null) return
    if (status !== 401) this.#good.set(credential, true)
    else {
      this.#bad.set(credential, true)
      if (!this.#good.get(credential)) this.#take(this.#guesses(exchange))
    }
  }

  #credentialOf({ request }: Exchange): string | null {
    const header = request.headers.get('authorization')
    return header === null ? null : sha256(header).slice(0, 32)
  }

  #guesses(exchange: Exchange): Bucket {
    return { key: `guess ${networkOf(exchange.origin.ip ?? '')}`, most: LIMITS.api.anonymous, policy: 'anonymous', window: MINUTE }
  }

  #bucketsOf(exchange: Exchange): readonly Bucket[] {
    const { door, path, request } = exchange
    const network = networkOf(exchange.origin.ip ?? '')
    const credential = this.#credentialOf(exchange)
    const known = credential !== null && !this.#bad.get(credential)
    const bucket = (key: string, most: number, policy: Policy, window: number = MINUTE): Bucket => ({ key: `${door} ${key}`, most, policy, window })
    // A new credential may be a guess; once an address has guessed enough, only those that are known to be good get through.
    const guard = credential !== null && !this.#good.get(credential) && this.#isSpent(this.#guesses(exchange)) ? [this.#guesses(exchange)] : []
    if (door === 'pages') {
      const cookie = /(?:^|;\s*)(?:__Host-)?hearth=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
      const all = bucket(`all ${network}`, LIMITS.pages.address, 'anonymous')
      if (path === '/register' && request.method === 'POST') return [bucket(`sign-up ${network}`, LIMITS.signUpsAnHour, 'anonymous', HOUR), all]
      if (known) return [bucket(`token ${credential}`, LIMITS.pages.token, 'authenticated'), ...guard, all]
      if (cookie !== undefined) return [bucket(`session ${sha256(cookie).slice(0, 32)}`, LIMITS.pages.authenticated, 'authenticated'), all]
      const costly = COSTLY.test(path) ? [bucket(`costly ${network}`, LIMITS.costly, 'anonymous')] : []
      return [bucket(network, LIMITS.pages.anonymous, 'anonymous'), ...costly, all]
    }
    const limits = door === 'git' ? LIMITS.git : LIMITS.api
    return known ? [bucket(`token ${credential}`, limits.authenticated, 'authenticated'), ...guard] : [bucket(network, limits.anonymous, 'anonymous')]
  }

  #isSpent({ key, most }: Bucket): boolean {
    const count = this.#counts.get(key)
    return count !== undefined && count.until > this.hearth.clock.now() && count.count >= most
  }

  /** Null when there was room; else the seconds until there is. */
  #take({ key, most, window }: Bucket): number | null {
    const now = this.hearth.clock.now()
    let count = this.#counts.get(key)
    if (!count || count.until <= now || count.until > now + window) this.#counts.set(key, (count = { count: 0, until: now + window }))
    if (count.count >= most) return Math.max(1, Math.ceil((count.until - now) / 1000))
    count.count++
    return null
  }

  #give({ key }: Bucket): void {
    const count = this.#counts.get(key)
    if (count && count.count > 0) count.count--
  }
}
