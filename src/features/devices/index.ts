import type { Feature } from '#core/hearth.ts'
import { createDeviceCode } from './create-device-code.ts'
import { decideDevice } from './decide-device.ts'
import { getDeviceRequest } from './get-device-request.ts'
import { pollDeviceToken } from './poll-device-token.ts'
import { sweepDevices } from './sweep.ts'

export { decideDevice, getDeviceRequest }

/**
 * Sign-in of tools that have no browser: a code is approved in the browser of any other machine.
 */
export const feature: Feature = {
  name: 'devices',
  operations: [createDeviceCode, pollDeviceToken, getDeviceRequest, decideDevice],
  jobs: [sweepDevices],
}
