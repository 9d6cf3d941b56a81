/**
 * Second factors: codes of an authenticator (TOTP, RFC 6238: SHA-1, six digits, 30 seconds, as all
 * of them know it), passkeys, and recovery codes for when neither is at hand. An account has
 * two-factor sign-in while it has an authenticator or a passkey.
 */
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { sha256 } from '#lib/hash.ts'
import { SECOND } from '#lib/time.ts'
import { seal, unseal } from './seal.ts'
import { tell } from './notices.ts'
import { setTwoFactorEnabled } from './store-people.ts'
import { findUserById } from './store.ts'
import {
  countRecoveryCodes,
  findAuthenticator,
  hasRecoveryCode,
  listPasskeys,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
  type AuthenticatorRow,
} from './store-second-factors.ts'

const PERIOD_MS = 30 * SECOND
/** Clocks of telephones may be half a minute off. */
const WINDOW = 1
const SECRET_BYTES = 20
const PURPOSE = 'authenticator'

const RECOVERY_CODES = 10
/**
 * No letters that look like digits. 16 of them are 78 bits, so that a hash without salt is enough.
 */
const RECOVERY_LETTERS = '23456789abcdefghjkmnpqrstvwxyz'
const RECOVERY_LENGTH = 16

type Site = Pick<Hearth, 'settings'>

export const newSealedSecret = (site: Site): string =>
  seal(site, PURPOSE, new Secret({ size: SECRET_BYTES }).base32)

/** Null when the installation's key is not the one that the secret was sealed with. */
function totpOf(site: Site, row: AuthenticatorRow, username: string): TOTP | null {
  const secret = unseal(site, PURPOSE, row.sealed_secret)
  return secret === null
    ? null
    : new TOTP({
        issuer: new URL(site.settings.site_url).host,
        label: username,
        secret: Secret.fromBase32(secret),
        algorithm: 'SHA1',
        digits: 6,
        period: PERIOD_MS / SECOND,
      })
}

/** A square of dark and light modules: `path` is SVG path data on a grid of `size` units. */
export type Picture = { readonly size: number; readonly path: string }

function pictureOf(text: string): Picture {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return { size, path }
}

/** What an authenticator is set up with: to be scanned, opened or typed. */
export function describeAuthenticator(
  site: Site,
  row: AuthenticatorRow,
  username: string,
): { secret: string; uri: string; picture: Picture } | null {
  const totp = totpOf(site, row, username)
  if (!totp) return null
  const uri = totp.toString()
  return { secret: totp.secret.base32, uri, picture: pictureOf(uri) }
}

/** The step of a right code; null for a wrong one. */
function stepOf(
  hearth: Pick<Hearth, 'settings' | 'clock'>,
  row: AuthenticatorRow,
  code: string,
): number | null {
  const now = hearth.clock.now()
  const delta =
    totpOf(hearth, row, '-')?.validate({ token: code, timestamp: now, window: WINDOW }) ?? null
  return delta === null ? null : Math.floor(now / PERIOD_MS) + delta
}

const digitsOf = (text: string): string => text.replace(/[\s-]/g, '')

/** Takes the first code of an authenticator that is being set up, or any later one. */
export function takeTotp(tx: Tx, row: AuthenticatorRow, code: string): boolean {
  const step = stepOf(tx.hearth, row, digitsOf(code))
  return step !== null && takeStep(tx.db, row.user_id, step)
}

const hashRecovery = (code: string): string => sha256(code.toLowerCase().replace(/[^0-9a-z]/g, ''))

/** Makes new recovery codes; those before stop working. They are in this answer only. */
export function issueRecoveryCodes(tx: Tx, user_id: string): string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    let code = ''
    while (code.length < RECOVERY_LENGTH) {
      for (const byte of crypto.getRandomValues(new Uint8Array(RECOVERY_LENGTH * 2))) {
        // 240 is a multiple of 30: each letter has the same probability.
        if (byte < 240 && code.length < RECOVERY_LENGTH)
          code += RECOVERY_LETTERS[byte % RECOVERY_LETTERS.length]
      }
    }
    return code.replace(/(.{4})(?!$)/g, '$1-')
  })
  replaceRecoveryCodes(tx.db, user_id, codes.map(hashRecovery))
  return codes
}

/**
 * Uses up a code that a person typed. Gives what it was, null when it is wrong or was used before.
 */
export function takeCode(tx: Tx, user_id: string, code: string): 'totp' | 'recovery' | null {
  const authenticator = findAuthenticator(tx.db, user_id)
  if (/^\d{6}$/.test(digitsOf(code)))
    return authenticator?.confirmed_at != null && takeTotp(tx, authenticator, code) ? 'totp' : null
  return hasRecoveryCode(tx.db, user_id, hashRecovery(code)) &&
    takeRecoveryCode(tx.db, user_id, hashRecovery(code))
    ? 'recovery'
    : null
}

export type SecondFactor = 'totp' | 'passkey' | 'recovery'

/** What can complete a sign-in of this person. */
export function secondFactorsOf(db: Db, user_id: string): SecondFactor[] {
  const factors: SecondFactor[] = []
  if (findAuthenticator(db, user_id)?.confirmed_at != null) factors.push('totp')
  if (listPasskeys(db, user_id).length > 0) factors.push('passkey')
  if (countRecoveryCodes(db, user_id) > 0) factors.push('recovery')
  return factors
}

/**
 * Sets the account's mark after a factor came or went, writes the audit entry and tells the person.
 * Gives new recovery codes when there were none; with the last factor they go too.
 */
export function settleSecondFactors(
  tx: Tx,
  user_id: string,
  what: { action: string; sentence: string; data?: Record<string, unknown> },
): string[] | null {
  const before = findUserById(tx.db, user_id)
  if (!before) throw new TypeError(`there is no person ${user_id}`)
  const enabled = secondFactorsOf(tx.db, user_id).some((factor) => factor !== 'recovery')
  setTwoFactorEnabled(tx, user_id, enabled)
  if (!enabled) replaceRecoveryCodes(tx.db, user_id, [])
  tx.audit({
    action: what.action,
    target: { kind: 'user', id: user_id, name: before.username },
    data: {
      before: { two_factor_enabled: before.two_factor_enabled === 1 },
      after: { two_factor_enabled: enabled },
      ...what.data,
    },
  })
  tell(tx, before, what.sentence)
  return enabled && countRecoveryCodes(tx.db, user_id) === 0
    ? issueRecoveryCodes(tx, user_id)
    : null
}
