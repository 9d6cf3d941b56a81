/**
 * Slows down guessing of codes. A code has some twenty-five thousand million values and lives for a quarter of an hour; whoever
 * tries them is signed in, so each wrong one makes that person's next try wait longer. Tries of one person go one after the other.
 */
import type { Hearth } from '#core/hearth.ts'
import { Guard } from '#features/accounts/index.ts'

const guards = new WeakMap<Hearth['settings'], Guard>()

/** The guard of a forge. */
export function codeGuardOf({ settings, clock }: Pick<Hearth, 'settings' | 'clock'>): Guard {
  let guard = guards.get(settings)
  if (!guard) guards.set(settings, (guard = new Guard(() => clock.now())))
  return guard
}
