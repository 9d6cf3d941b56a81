/**
 * Small texts that only this installation can read back: encrypted with AES-256-GCM under a key
 * that is made from the installation's own (HKDF, RFC 5869), one for each purpose, so that what was
 * sealed for one cannot be used for another.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Hearth } from '#core/hearth.ts'
import { installationKey } from '#lib/installation-key.ts'

type Site = Pick<Hearth, 'settings'>

const IV_BYTES = 12
const TAG_BYTES = 16
const keys = new WeakMap<Hearth['settings'], Map<string, Buffer>>()

function keyFor({ settings }: Site, purpose: string): Buffer {
  let known = keys.get(settings)
  if (!known) keys.set(settings, (known = new Map()))
  let key = known.get(purpose)
  if (!key)
    known.set(
      purpose,
      (key = Buffer.from(
        hkdfSync('sha256', installationKey(settings.data), '', `hearth ${purpose}`, 32),
      )),
    )
  return key
}

/** The text as unpadded base64url, fit for a cookie or a form field. */
export function seal(site: Site, purpose: string, text: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyFor(site, purpose), iv)
  return Buffer.concat([
    iv,
    cipher.update(text, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString('base64url')
}

/** The text again; null for anything that this installation did not seal for this purpose. */
export function unseal(site: Site, purpose: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < IV_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyFor(site, purpose),
    bytes.subarray(0, IV_BYTES),
    { authTagLength: TAG_BYTES },
  )
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8')
  } catch {
    return null
  }
}

/** Seals a value that is good until a moment (milliseconds since 1970). */
export const sealUntil = (site: Site, purpose: string, until: number, value: unknown): string =>
  seal(site, purpose, JSON.stringify({ until, value }))

/** The value again; null when it is not ours or too old. */
export function unsealFresh<T>(
  site: Site & Pick<Hearth, 'clock'>,
  purpose: string,
  sealed: string,
): T | null {
  const text = unseal(site, purpose, sealed)
  if (text === null) return null
  const { until, value } = JSON.parse(text) as { until: number; value: T }
  return until > site.clock.now() ? value : null
}
