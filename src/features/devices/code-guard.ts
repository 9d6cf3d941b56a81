/**
 * Slows down guessing of codes. A code has some twenty-five thousand million values and lives for a
 * quarter of an hour; whoever tries them is signed in, so each wrong one makes that person's next
 * try wait longer. Tries of one person go one after the other.
 *
 * Wrong codes of others from the same address count too, so that many accounts of one guesser are
 * no faster than one; but only for a person who was wrong before, since whole offices share an
 * address. A right code makes up for nothing: anyone can ask for a code of their own and type that
 * in between.
 */
import type { Hearth } from '#core/hearth.ts'
import { Guard } from '#features/accounts/index.ts'
import { parseAddress } from '#lib/net.ts'

const guards = new WeakMap<Hearth['settings'], Guard>()

/** The guard of a forge. */
export function codeGuardOf({ settings, clock }: Pick<Hearth, 'settings' | 'clock'>): Guard {
  let guard = guards.get(settings)
  if (!guard) guards.set(settings, (guard = new Guard(() => clock.now(), { forgives: false })))
  return guard
}

/**
 * The place of an address: itself, or its network of 64 bits (IPv6), which one person has to
 * themselves. Null when it is not known.
 */
export function placeOf(ip: string | null): string | null {
  const address = ip === null ? null : parseAddress(ip.replace(/^::ffff:(?=\d+\.)/i, ''))
  return address && `at ${Buffer.from(address.subarray(0, 8)).toString('hex')}`
}
