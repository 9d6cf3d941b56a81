/**
 * Passkeys (Web Authentication, https://www.w3.org/TR/webauthn-3/), for the host of the site's
 * address. A challenge travels in the form, sealed with what it is for and until when; a right
 * answer uses it up. So strangers who open the sign-in page leave nothing behind here.
 */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  type WebAuthnCredential,
} from '@simplewebauthn/server'
import { isIP } from 'node:net'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { Type } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { MINUTE } from '#lib/time.ts'
import { sealUntil, unsealFresh } from './seal.ts'
import { findPasskey, listPasskeys, type PasskeyRow } from './store-second-factors.ts'
import type { UserRow } from './store.ts'

type Site = Pick<Hearth, 'settings' | 'clock'>

/** Long, because the page may have stood open before somebody pressed the button. */
const CHALLENGE_MS = 60 * MINUTE
const MOST_USED = 10_000

/**
 * What a page hands to the browser: the options as JSON, and the sealed challenge that comes back
 * with the answer.
 */
export const PasskeyOptions = Type.Object({ options: Type.String(), state: Type.String() })
export type PasskeyOptions = { options: string; state: string }

/** What the browser's answer is, as JSON, with the state of the page. */
export const passkeyAnswer = {
  state: Type.String({ minLength: 1, maxLength: 2000 }),
  response: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: "The browser's answer, as JSON.",
  }),
}

/**
 * Whether browsers make passkeys for this address: a name, and https unless it is the machine
 * itself (section 5.1.3 of the standard).
 */
export function passkeysPossible({ settings }: Pick<Hearth, 'settings'>): boolean {
  const { protocol, hostname } = new URL(settings.site_url)
  return (
    isIP(hostname.replace(/^\[|\]$/g, '')) === 0 &&
    (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'))
  )
}

const party = ({ settings }: Pick<Hearth, 'settings'>) => {
  const { origin, hostname } = new URL(settings.site_url)
  return { origin, id: hostname }
}

type Purpose = 'add' | 'sign_in' | 'second_factor'
type Challenge = { challenge: string; purpose: Purpose; user_id: string | null }

const sealChallenge = (site: Site, value: Challenge): string =>
  sealUntil(site, 'passkey', site.clock.now() + CHALLENGE_MS, value)

const usedChallenges = new WeakMap<Hearth['settings'], Set<string>>()

/**
 * Uses a challenge up: the same answer is not taken twice. What is kept is bounded, and only right
 * answers come here.
 */
function useUp(site: Site, challenge: string): boolean {
  let used = usedChallenges.get(site.settings)
  if (!used) usedChallenges.set(site.settings, (used = new Set()))
  const hash = sha256(challenge)
  if (used.has(hash)) return false
  used.add(hash)
  const [oldest] = used
  if (used.size > MOST_USED && oldest !== undefined) used.delete(oldest)
  return true
}

const refused = () =>
  invalid('passkey', 'this passkey was not accepted; reload the page and try again')

/**
 * The challenge of a page. Gives 422 for one that is not ours, for something else, for somebody
 * else, or too old.
 */
function requireChallenge(
  site: Site,
  state: string,
  purpose: Purpose,
  user_id: string | null,
): string {
  const known = unsealFresh<Challenge>(site, 'passkey', state)
  if (!known || known.purpose !== purpose || known.user_id !== user_id) throw refused()
  return known.challenge
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw refused()
  }
}

const transportsOf = (row: PasskeyRow): WebAuthnCredential['transports'] =>
  JSON.parse(row.transports) as WebAuthnCredential['transports']

const allowed = (rows: readonly PasskeyRow[]) =>
  rows.map((row) => ({ id: row.id, transports: transportsOf(row) }))

/** Options for making a passkey. */
export async function registrationOptions(hearth: Hearth, user: UserRow): Promise<PasskeyOptions> {
  if (!passkeysPossible(hearth))
    throw conflict('not_available', 'passkeys need the site to have a name and https')
  const challenge = randomToken()
  const options = await generateRegistrationOptions({
    rpName: 'Hearth',
    rpID: party(hearth).id,
    userID: new TextEncoder().encode(user.id),
    userName: user.username,
    userDisplayName: user.name ?? user.username,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    attestationType: 'none',
    excludeCredentials: allowed(listPasskeys(hearth.db, user.id)),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  return {
    options: JSON.stringify(options),
    state: sealChallenge(hearth, {
      challenge: options.challenge,
      purpose: 'add',
      user_id: user.id,
    }),
  }
}

export type NewPasskey = {
  id: string
  public_key: string
  counter: number
  transports: string
  backed_up: number
}

/** Checks the answer to them. Gives 422 when it is wrong in any way. */
export async function checkRegistration(
  hearth: Hearth,
  user_id: string,
  answer: { state: string; response: string },
): Promise<NewPasskey> {
  const expectedChallenge = requireChallenge(hearth, answer.state, 'add', user_id)
  const { origin, id } = party(hearth)
  const verified = await verifyRegistrationResponse({
    response: parse<RegistrationResponseJSON>(answer.response),
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
  }).catch(() => null)
  if (!verified?.verified || !useUp(hearth, expectedChallenge)) throw refused()
  const { credential, credentialBackedUp } = verified.registrationInfo
  return {
    id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports ?? []),
    backed_up: credentialBackedUp ? 1 : 0,
  }
}

/**
 * Options for showing a passkey: any of this site (`user_id` null, and then the device must know
 * its person), or one of a person's.
 */
export async function assertionOptions(
  hearth: Hearth,
  user_id: string | null,
): Promise<PasskeyOptions> {
  const challenge = randomToken()
  const options = await generateAuthenticationOptions({
    rpID: party(hearth).id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    userVerification: user_id === null ? 'required' : 'preferred',
    ...(user_id === null ? {} : { allowCredentials: allowed(listPasskeys(hearth.db, user_id)) }),
  })
  return {
    options: JSON.stringify(options),
    state: sealChallenge(hearth, {
      challenge: options.challenge,
      purpose: user_id === null ? 'sign_in' : 'second_factor',
      user_id,
    }),
  }
}

/**
 * The passkey that was shown, with its new counter. Gives 422 when the answer is wrong in any way.
 */
export async function checkAssertion(
  hearth: Hearth,
  user_id: string | null,
  answer: { state: string; response: string },
): Promise<{ passkey: PasskeyRow; counter: number }> {
  const expectedChallenge = requireChallenge(
    hearth,
    answer.state,
    user_id === null ? 'sign_in' : 'second_factor',
    user_id,
  )
  const response = parse<AuthenticationResponseJSON>(answer.response)
  const passkey =
    typeof response === 'object' && response !== null && typeof response.id === 'string'
      ? findOwn(hearth.db, response.id, user_id)
      : null
  if (!passkey) throw refused()
  const { origin, id } = party(hearth)
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    // As the only factor it has to be two in one: the device, and whoever unlocked it.
    requireUserVerification: user_id === null,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: passkey.counter,
      transports: transportsOf(passkey),
    },
  }).catch(() => null)
  if (!verified?.verified || !useUp(hearth, expectedChallenge)) throw refused()
  return { passkey, counter: verified.authenticationInfo.newCounter }
}

function findOwn(db: Db, id: string, user_id: string | null): PasskeyRow | null {
  const row = findPasskey(db, id)
  return row && (user_id === null || row.user_id === user_id) ? row : null
}
