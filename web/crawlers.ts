/**
 * Protects git history from crawlers. Anonymous readers who request many pages that cost git work
 * must compute a proof of work first. Signed-in users, the API and git are exempt. The cookie that
 * holds a proof is bound to the network of the reader.
 */
import type { Hearth } from '#core/hearth.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { networkOf } from '#lib/net.ts'
import { RateCounter } from '#lib/rate-counter.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { readCookie, setCookie } from './cookies.ts'

/** Pages that read history: blame, commits, comparisons, trees and files at a commit, archives. */
const COSTLY_PATHS =
  /^\/[^/]+\/[^/]+\/(?:pull\/\d+\/)?(?:blame|blame-before|find|commits|commit|compare|archive|(?:tree|blob)\/[0-9a-f]{40})(?:\/|$)/

/** Paths for programs without a browser, which are never challenged. */
const FEED_PATH = /^\/[^/]+\/[^/]+\/commits\/.+\.atom$/

/** Whether a page costs git work and has nothing that other pages lack for a search engine. */
export const isCostly = (path: string): boolean => COSTLY_PATHS.test(path) && !FEED_PATH.test(path)

const MAX_COSTLY_PAGES = 60
const WINDOW_MS = 10 * MINUTE
/** One hash in 2^BITS is a proof: about a third of a second in a browser. */
export const PROOF_BITS = 16
const PROOF_LIFETIME_MS = HOUR
const CHALLENGE_LIFETIME_MS = 10 * MINUTE
export const PROOF_COOKIE = 'hearth-work'
export const PROOF_PATH = '/-/work'

/** The network of an address: /24 of IPv4, /48 of IPv6. */
const crawlerNetworkOf = (address: string | null): string => networkOf(address, 24, 48) ?? 'unknown'

/** Whether the digest of challenge and proof starts with enough zero bits. */
export function isValidProof(challenge: string, answer: string, bits = PROOF_BITS): boolean {
  const digest = new Bun.CryptoHasher('sha256').update(`${challenge}:${answer}`).digest()
  return digest.readUInt32BE(0) >>> (32 - bits) === 0
}

export class CrawlerDefense {
  readonly #counter: RateCounter
  #key: Uint8Array | null = null

  readonly #secure: boolean

  constructor(private readonly hearth: Hearth) {
    this.#counter = new RateCounter(hearth.clock)
    this.#secure = hearth.settings.site_url.startsWith('https:')
  }

  #sign(kind: string, network: string, until: number): string {
    this.#key ??= hmacSha256(installationKey(this.hearth.settings.data), 'work of crawlers')
    return `${until}.${Buffer.from(hmacSha256(this.#key, `${kind} ${network} ${until}`)).toString('base64url')}`
  }

  #isSigned(kind: string, network: string, text: string): boolean {
    const until = Number(text.slice(0, text.indexOf('.')))
    if (!Number.isSafeInteger(until) || until <= this.hearth.clock.now()) return false
    return sameBytes(Buffer.from(text), Buffer.from(this.#sign(kind, network, until)))
  }

  /**
   * Counts a page of an anonymous reader. Returns the challenge that must be solved first, or null.
   */
  challengeFor(request: Request, path: string, address: string | null): string | null {
    if (!this.hearth.settings.limits.proof_of_work || !isCostly(path)) return null
    const network = crawlerNetworkOf(address)
    const limit = { key: network, maxPerWindow: MAX_COSTLY_PAGES, windowMs: WINDOW_MS }
    if (this.#counter.take(limit) === null) return null
    const proof = readCookie(request, this.#secure, PROOF_COOKIE)
    if (proof !== null && this.#isSigned('proof', network, proof)) return null
    this.hearth.metrics.recordRefusal('crawler')
    return this.#sign('challenge', network, this.hearth.clock.now() + CHALLENGE_LIFETIME_MS)
  }

  /** The cookie for a solved challenge. Null for a wrong answer. */
  acceptProof(challenge: string, answer: string, address: string | null): string | null {
    const network = crawlerNetworkOf(address)
    if (
      answer.length > 20 ||
      !this.#isSigned('challenge', network, challenge) ||
      !isValidProof(challenge, answer)
    )
      return null
    return setCookie(
      this.#secure,
      PROOF_COOKIE,
      this.#sign('proof', network, this.hearth.clock.now() + PROOF_LIFETIME_MS),
      PROOF_LIFETIME_MS / 1000,
    )
  }
}
