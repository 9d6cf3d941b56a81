import type { Origin } from '#core/audit.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { invalid } from '#lib/errors.ts'
import { networkOf } from '#lib/net.ts'
import { deviceCodeAttempts } from './code-attempts.ts'
import { findPendingDevice, type DeviceRow } from './store.ts'
import { readUserCode } from './user-codes.ts'

type DeviceRequestContext = {
  readonly hearth: Hearth
  readonly caller: UserCaller
  readonly now: string
  readonly origin: Origin
}

/**
 * The device request of a code that a user typed. Throws 422 for an unknown, decided or expired
 * code. Each wrong attempt delays the next one.
 */
export async function requireDeviceRequest(
  { hearth, caller, now, origin }: DeviceRequestContext,
  text: string,
): Promise<DeviceRow> {
  const result: { row: DeviceRow | null } = { row: null }
  await deviceCodeAttempts(hearth).attempt(
    caller.id,
    async () => {
      const code = readUserCode(text)
      result.row = code === null ? null : findPendingDevice(hearth.db, code, now)
      return result.row !== null
    },
    { network: networkOf(origin.ip) },
  )
  if (!result.row)
    throw invalid(
      'code',
      'no device waits with this code; look at it again, it is good for 15 minutes',
    )
  return result.row
}
