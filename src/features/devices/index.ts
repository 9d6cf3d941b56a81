import type { Feature } from '#core/hearth.ts'
import { sweepDevices } from './sweep.ts'
import * as operations from './operations.ts'

export * from './operations.ts'

/**
 * Device sign-in for tools that have no browser (RFC 8628). A person approves the code in the
 * browser of any other machine.
 */
export const feature: Feature = {
  name: 'devices',
  operations: Object.values(operations),
  jobs: [sweepDevices],
}
