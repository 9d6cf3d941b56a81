/**
 * Sealed text: encrypted with AES-256-GCM so that only this installation can read it. Each purpose
 * has its own key, derived from the installation key with HKDF (RFC 5869), so a text sealed for one
 * purpose is invalid for another.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { installationKey } from '#lib/installation-key.ts'

type Site = Pick<Hearth, 'services'>

const IV_BYTES = 12
const TAG_BYTES = 16
/** Purposes may name rows, so there may be many. A key takes about 20 µs to derive. */
const MAX_CACHED_KEYS = 1_000

/** Seals and opens texts with the key of one installation. */
export class Sealer {
  readonly #keys = new Map<string, Buffer>()

  constructor(private readonly dataDirectory: string) {}

  /** Seals a text. The result is unpadded base64url, fit for a cookie or a form field. */
  seal(purpose: string, text: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keyFor(purpose), iv)
    return Buffer.concat([
      iv,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]).toString('base64url')
  }

  /** Opens a sealed text. Null for anything that was not sealed here for this purpose. */
  unseal(purpose: string, sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < IV_BYTES + TAG_BYTES) return null
    const iv = bytes.subarray(0, IV_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.#keyFor(purpose), iv, {
      authTagLength: TAG_BYTES,
    })
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

  #keyFor(purpose: string): Buffer {
    const existing = this.#keys.get(purpose)
    if (existing) return existing
    const secret = installationKey(this.dataDirectory)
    const key = Buffer.from(hkdfSync('sha256', secret, '', `hearth ${purpose}`, 32))
    if (this.#keys.size >= MAX_CACHED_KEYS) this.#keys.clear()
    this.#keys.set(purpose, key)
    return key
  }
}

const sealer = service('sealer', ({ settings }: Hearth) => new Sealer(settings.data))

export const seal = (site: Site, purpose: string, text: string): string =>
  sealer(site).seal(purpose, text)

export const unseal = (site: Site, purpose: string, sealed: string): string | null =>
  sealer(site).unseal(purpose, sealed)

/** Seals a value that expires at `until` (milliseconds since 1970). */
export const sealUntil = (site: Site, purpose: string, until: number, value: unknown): string =>
  seal(site, purpose, JSON.stringify({ until, value }))

/** Opens a value of `sealUntil`. Null when it is invalid or expired. */
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
