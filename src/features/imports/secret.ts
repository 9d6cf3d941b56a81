/**
 * The secret of an import: what the other side asks for, readable by this installation alone, and
 * only while the import lasts.
 */
import type { Hearth } from '#core/hearth.ts'
import { sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { DAY } from '#lib/time.ts'

/** An import that has not ended by then ends; the secret is of no use longer. */
export const LONGEST_MS = 7 * DAY
const PURPOSE = 'import secret'

export const closeSecret = (hearth: Hearth, secret: string, now_ms: number): string =>
  sealUntil(hearth, PURPOSE, now_ms + LONGEST_MS, secret)

/** The secret again; null when it is not to be had any more. */
export const openSecret = (hearth: Hearth, sealed: string): string | null =>
  unsealFresh<string>(hearth, PURPOSE, sealed)
