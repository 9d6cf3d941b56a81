import type { Origin } from '#core/audit.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { invalid } from '#lib/errors.ts'
import { codeGuardOf, placeOf } from './code-guard.ts'
import { findWaiting, type DeviceRow } from './store.ts'
import { readUserCode } from './user-codes.ts'

type Asked = {
  readonly hearth: Hearth
  readonly caller: UserCaller
  readonly now: string
  readonly origin: Origin
}

/**
 * The request of a code that a person typed. Gives 422 for one that is unknown, decided or too old,
 * later with every wrong try.
 */
export async function requireWaiting(
  { hearth, caller, now, origin }: Asked,
  text: string,
): Promise<DeviceRow> {
  const found: { row: DeviceRow | null } = { row: null }
  await codeGuardOf(hearth).attempt(
    caller.id,
    async () => {
      const code = readUserCode(text)
      found.row = code === null ? null : findWaiting(hearth.db, code, now)
      return found.row !== null
    },
    placeOf(origin.ip),
  )
  if (!found.row)
    throw invalid(
      'code',
      'no device waits with this code; look at it again, it is good for 15 minutes',
    )
  return found.row
}
