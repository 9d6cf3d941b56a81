/**
 * Where attempts to sign in come from. An owner who signed in before is told apart from strangers
 * by a cookie, which outlasts the sign-in, or by the network of a sign-in that lasts. Neither gives
 * any access: it only gives the attempts a queue of their own (`attempt-limiter.ts`).
 */
import type { Origin } from '#core/audit.ts'
import type { Hearth } from '#core/hearth.ts'
import { randomToken } from '#lib/hash.ts'
import { networkOf } from '#lib/net.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { sealUntil, unsealFresh } from '../seal.ts'
import { listSignInAddresses } from '../store/sign-ins.ts'
import type { AttemptSource } from './attempt-limiter.ts'

const PURPOSE = 'known browser'
export const KNOWN_BROWSER_LIFETIME_MS = 365 * DAY

type KnownBrowser = { readonly user_id: string; readonly id: string }

/** What a browser is given after a sign-in, for the input `browser` of later ones. */
export const knownBrowserToken = (hearth: Hearth, user_id: string): string =>
  sealUntil(hearth, PURPOSE, hearth.clock.now() + KNOWN_BROWSER_LIFETIME_MS, {
    user_id,
    id: randomToken(9),
  } satisfies KnownBrowser)

/** Somebody who is signed in and proves a secret again. */
export const SIGNED_IN_SOURCE: AttemptSource = { id: 'signed in', isKnown: true }

/** The source of an attempt for an account; null is a name without one. */
export function attemptSource(
  hearth: Hearth,
  user_id: string | null,
  { ip }: Origin,
  browser: string | undefined,
): AttemptSource {
  const network = networkOf(ip)
  const stranger = { id: networkOf(ip, 32, 48) ?? '', isKnown: false }
  if (user_id === null) return stranger
  const known = browser ? unsealFresh<KnownBrowser>(hearth, PURPOSE, browser) : null
  if (known?.user_id === user_id) return { id: `browser ${known.id}`, isKnown: true }
  const addresses = listSignInAddresses(hearth.db, user_id, timestamp(hearth.clock.now()))
  return network !== null && addresses.some((address) => networkOf(address) === network)
    ? { id: `network ${network}`, isKnown: true }
    : stranger
}
