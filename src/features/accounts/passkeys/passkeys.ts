/**
 * Passkeys (Web Authentication, https://www.w3.org/TR/webauthn-3/) for the host of the site's URL.
 * The page carries each challenge as a sealed form field with its purpose and expiry, so opening
 * the sign-in page writes nothing. A valid response consumes its challenge.
 */
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import { isIP } from 'node:net'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { Type } from '#core/schema.ts'
import { service } from '#core/service.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { MINUTE } from '#lib/time.ts'
import { sealUntil, unsealFresh } from '../seal.ts'
import { findPasskey, listPasskeys, type PasskeyRow } from '../store/second-factors.ts'
import type { UserRow } from '../store/users.ts'

type Site = Pick<Hearth, 'settings' | 'clock' | 'services'>

/** Long, because the sign-in page may stay open for a while before the button is pressed. */
const CHALLENGE_LIFETIME_MS = 60 * MINUTE
const MAX_USED_CHALLENGES = 10_000

/**
 * What a page passes to the browser: the options as JSON, and the sealed challenge that the
 * response must return.
 */
export const PasskeyOptions = Type.Object({ options: Type.String(), state: Type.String() })
export type PasskeyOptions = { options: string; state: string }

/** The browser's response as JSON, with the sealed challenge of the page. */
export const passkeyResponse = {
  state: Type.String({ minLength: 1, maxLength: 2000 }),
  response: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: "The browser's answer, as JSON.",
  }),
}

/**
 * Whether browsers allow passkeys for this site. They require a host name and https, except on
 * localhost (section 5.1.3 of the standard).
 */
export function arePasskeysAvailable({ settings }: Pick<Hearth, 'settings'>): boolean {
  const { protocol, hostname } = new URL(settings.site_url)
  return (
    isIP(hostname.replace(/^\[|\]$/g, '')) === 0 &&
    (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'))
  )
}

/** The package with its ASN.1 readers loads at the first passkey, not at the start. */
const webAuthn = () => import('@simplewebauthn/server')

const relyingParty = ({ settings }: Pick<Hearth, 'settings'>) => {
  const { origin, hostname } = new URL(settings.site_url)
  return { origin, id: hostname }
}

type Purpose = 'add' | 'sign_in' | 'second_factor'
type Challenge = { challenge: string; purpose: Purpose; user_id: string | null }

const sealChallenge = (site: Site, value: Challenge): string =>
  sealUntil(site, 'passkey', site.clock.now() + CHALLENGE_LIFETIME_MS, value)

/** Hashes of used challenges, so that a response is accepted once. The oldest leave first. */
class UsedChallenges {
  readonly #hashes = new Set<string>()

  /** Marks a challenge as used. False when it was used before. Only valid responses get here. */
  consume(challenge: string): boolean {
    const hash = sha256(challenge)
    if (this.#hashes.has(hash)) return false
    this.#hashes.add(hash)
    const [oldest] = this.#hashes
    if (this.#hashes.size > MAX_USED_CHALLENGES && oldest !== undefined) this.#hashes.delete(oldest)
    return true
  }
}

const usedChallenges = service('used passkey challenges', () => new UsedChallenges())

const passkeyRefused = () =>
  invalid('passkey', 'this passkey was not accepted; reload the page and try again')

/**
 * The challenge of a page. Throws 422 when it was sealed elsewhere, for another purpose or user, or
 * has expired.
 */
function requireChallenge(
  site: Site,
  state: string,
  purpose: Purpose,
  user_id: string | null,
): string {
  const opened = unsealFresh<Challenge>(site, 'passkey', state)
  if (!opened || opened.purpose !== purpose || opened.user_id !== user_id) throw passkeyRefused()
  return opened.challenge
}

function parseResponse<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw passkeyRefused()
  }
}

const transportsOf = (row: PasskeyRow): WebAuthnCredential['transports'] =>
  JSON.parse(row.transports) as WebAuthnCredential['transports']

const allowedCredentials = (rows: readonly PasskeyRow[]) =>
  rows.map((row) => ({ id: row.id, transports: transportsOf(row) }))

/** Creates the options for registering a passkey. */
export async function createRegistrationOptions(
  hearth: Hearth,
  user: UserRow,
): Promise<PasskeyOptions> {
  if (!arePasskeysAvailable(hearth))
    throw conflict('not_available', 'passkeys need the site to have a name and https')
  const challenge = randomToken()
  const { generateRegistrationOptions } = await webAuthn()
  const options = await generateRegistrationOptions({
    rpName: 'Hearth',
    rpID: relyingParty(hearth).id,
    userID: new TextEncoder().encode(user.id),
    userName: user.username,
    userDisplayName: user.name ?? user.username,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    attestationType: 'none',
    excludeCredentials: allowedCredentials(listPasskeys(hearth.db, user.id)),
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

/** Verifies the registration response. Throws 422 when any check fails. */
export async function checkRegistration(
  hearth: Hearth,
  user_id: string,
  input: { state: string; response: string },
): Promise<NewPasskey> {
  const expectedChallenge = requireChallenge(hearth, input.state, 'add', user_id)
  const { origin, id } = relyingParty(hearth)
  const { verifyRegistrationResponse } = await webAuthn()
  const verified = await verifyRegistrationResponse({
    response: parseResponse<RegistrationResponseJSON>(input.response),
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
  }).catch(() => null)
  if (!verified?.verified || !usedChallenges(hearth).consume(expectedChallenge))
    throw passkeyRefused()
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
 * Creates the options for signing in. With `user_id` null any discoverable passkey of this site is
 * accepted; otherwise only those of the user.
 */
export async function createAssertionOptions(
  hearth: Hearth,
  user_id: string | null,
): Promise<PasskeyOptions> {
  const challenge = randomToken()
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(hearth).id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    userVerification: user_id === null ? 'required' : 'preferred',
    ...(user_id === null
      ? {}
      : { allowCredentials: allowedCredentials(listPasskeys(hearth.db, user_id)) }),
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
 * Verifies the response. Returns the passkey with its new counter. Throws 422 when any check fails.
 */
export async function checkAssertion(
  hearth: Hearth,
  user_id: string | null,
  input: { state: string; response: string },
): Promise<{ passkey: PasskeyRow; counter: number }> {
  const expectedChallenge = requireChallenge(
    hearth,
    input.state,
    user_id === null ? 'sign_in' : 'second_factor',
    user_id,
  )
  const response = parseResponse<AuthenticationResponseJSON>(input.response)
  const passkey =
    typeof response === 'object' && response !== null && typeof response.id === 'string'
      ? findOwnPasskey(hearth.db, response.id, user_id)
      : null
  if (!passkey) throw passkeyRefused()
  const { origin, id } = relyingParty(hearth)
  const { verifyAuthenticationResponse } = await webAuthn()
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    // As the only factor, the passkey must prove the device and the user who unlocked it.
    requireUserVerification: user_id === null,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: passkey.counter,
      transports: transportsOf(passkey),
    },
  }).catch(() => null)
  if (!verified?.verified || !usedChallenges(hearth).consume(expectedChallenge))
    throw passkeyRefused()
  return { passkey, counter: verified.authenticationInfo.newCounter }
}

function findOwnPasskey(db: Db, id: string, user_id: string | null): PasskeyRow | null {
  const row = findPasskey(db, id)
  return row && (user_id === null || row.user_id === user_id) ? row : null
}
