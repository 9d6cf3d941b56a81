/**
 * Second factors: authenticator codes (TOTP, RFC 6238: SHA-1, six digits, 30 seconds, which every
 * authenticator supports), passkeys, and recovery codes. An account has two-factor sign-in while it
 * has an authenticator or a passkey.
 */
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { sha256 } from '#lib/hash.ts'
import { SECOND } from '#lib/time.ts'
import { seal, unseal } from '../seal.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { setTwoFactorEnabled } from '../store/user-settings.ts'
import { findUserById } from '../store/users.ts'
import {
  countRecoveryCodes,
  findAuthenticator,
  hasRecoveryCode,
  listPasskeys,
  replaceRecoveryCodes,
  consumeRecoveryCode,
  consumeTimeStep,
  type AuthenticatorRow,
} from '../store/second-factors.ts'

const TIME_STEP_MS = 30 * SECOND
/** Accepts one step (30 seconds) before or after, because the clocks of phones drift. */
const MAX_STEP_DRIFT = 1
const SECRET_BYTES = 20
const PURPOSE = 'authenticator'

const RECOVERY_CODES = 10
/**
 * Letters that look like digits are left out. 16 characters of 30 have 78 bits, so a hash without
 * salt is safe.
 */
const RECOVERY_LETTERS = '23456789abcdefghjkmnpqrstvwxyz'
const RECOVERY_LENGTH = 16

type Site = Pick<Hearth, 'settings' | 'services'>

export const createSealedSecret = (site: Site): string =>
  seal(site, PURPOSE, new Secret({ size: SECRET_BYTES }).base32)

/** Null when the secret was sealed with another installation key. */
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
        period: TIME_STEP_MS / SECOND,
      })
}

/** A QR code as SVG path data on a grid of `size` units. */
export type QrCode = { readonly size: number; readonly path: string }

function renderQrCode(text: string): QrCode {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return { size, path }
}

/** The setup data of an authenticator: a QR code to scan, a URI to open and a secret to type. */
export function describeAuthenticator(
  site: Site,
  row: AuthenticatorRow,
  username: string,
): { secret: string; uri: string; picture: QrCode } | null {
  const totp = totpOf(site, row, username)
  if (!totp) return null
  const uri = totp.toString()
  return { secret: totp.secret.base32, uri, picture: renderQrCode(uri) }
}

/** The time step of a valid code; null for an invalid one. */
function findTimeStep(
  hearth: Pick<Hearth, 'settings' | 'services' | 'clock'>,
  row: AuthenticatorRow,
  code: string,
): number | null {
  const now = hearth.clock.now()
  const delta =
    totpOf(hearth, row, '-')?.validate({ token: code, timestamp: now, window: MAX_STEP_DRIFT }) ??
    null
  return delta === null ? null : Math.floor(now / TIME_STEP_MS) + delta
}

const digitsOf = (text: string): string => text.replace(/[\s-]/g, '')

/**
 * Accepts a code of an authenticator and marks its time step as used. False for a wrong or reused
 * code.
 */
export function consumeTotpCode(tx: Tx, row: AuthenticatorRow, code: string): boolean {
  const step = findTimeStep(tx.hearth, row, digitsOf(code))
  return step !== null && consumeTimeStep(tx.db, row.user_id, step)
}

const hashRecovery = (code: string): string => sha256(code.toLowerCase().replace(/[^0-9a-z]/g, ''))

/**
 * Replaces the recovery codes of a user. Only this response contains them; the table has their
 * hashes.
 */
export function issueRecoveryCodes(tx: Tx, user_id: string): string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    let code = ''
    while (code.length < RECOVERY_LENGTH) {
      for (const byte of crypto.getRandomValues(new Uint8Array(RECOVERY_LENGTH * 2))) {
        // 240 is a multiple of 30, so every letter has the same probability.
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
 * Accepts a code that a user typed and marks it as used. Returns its kind, or null when it is wrong
 * or was used before.
 */
export function consumeCode(tx: Tx, user_id: string, code: string): 'totp' | 'recovery' | null {
  const authenticator = findAuthenticator(tx.db, user_id)
  if (/^\d{6}$/.test(digitsOf(code)))
    return authenticator?.confirmed_at != null && consumeTotpCode(tx, authenticator, code)
      ? 'totp'
      : null
  return hasRecoveryCode(tx.db, user_id, hashRecovery(code)) &&
    consumeRecoveryCode(tx.db, user_id, hashRecovery(code))
    ? 'recovery'
    : null
}

export type SecondFactor = 'totp' | 'passkey' | 'recovery'

/** The factors that can complete a sign-in of this user. */
export function secondFactorsOf(db: Db, user_id: string): SecondFactor[] {
  const factors: SecondFactor[] = []
  if (findAuthenticator(db, user_id)?.confirmed_at != null) factors.push('totp')
  if (listPasskeys(db, user_id).length > 0) factors.push('passkey')
  if (countRecoveryCodes(db, user_id) > 0) factors.push('recovery')
  return factors
}

/**
 * Updates the account after a factor was added or removed: sets `two_factor_enabled`, writes the
 * audit entry and notifies the user. Returns new recovery codes when there were none. Without any
 * factor left, the recovery codes are deleted too.
 */
export function updateSecondFactorState(
  tx: Tx,
  user_id: string,
  change: { action: string; sentence: string; data?: Record<string, unknown> },
): string[] | null {
  const before = findUserById(tx.db, user_id)
  if (!before) throw new TypeError(`there is no person ${user_id}`)
  const enabled = secondFactorsOf(tx.db, user_id).some((factor) => factor !== 'recovery')
  setTwoFactorEnabled(tx, user_id, enabled)
  if (!enabled) replaceRecoveryCodes(tx.db, user_id, [])
  tx.audit({
    action: change.action,
    target: { kind: 'user', id: user_id, name: before.username },
    data: {
      before: { two_factor_enabled: before.two_factor_enabled === 1 },
      after: { two_factor_enabled: enabled },
      ...change.data,
    },
  })
  sendSecurityNotice(tx, before, change.sentence)
  return enabled && countRecoveryCodes(tx.db, user_id) === 0
    ? issueRecoveryCodes(tx, user_id)
    : null
}
