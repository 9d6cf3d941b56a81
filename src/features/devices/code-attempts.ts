/**
 * Limits guessing of device codes. A code has 2.56 * 10^10 values and is valid for 15 minutes. Only
 * signed-in users can try codes. Each wrong code delays the next attempt of that user, and attempts
 * of one user run one after another.
 *
 * Wrong codes of other users from the same network count too, so that a guesser with many accounts
 * gains nothing. They count only for a user who was wrong before, because whole offices share an
 * address. A correct code does not reset the delay, because anyone can create a code and enter it
 * in between.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { AttemptLimiter } from '#features/accounts/index.ts'

export const deviceCodeAttempts = service(
  'device code attempts',
  ({ clock }: Hearth) => new AttemptLimiter(() => clock.now(), { resetsOnSuccess: false }),
)
