export { createDeviceCode } from './create-device-code.ts'
export { decideDevice } from './decide-device.ts'
export { getDeviceRequest } from './get-device-request.ts'
export { pollDeviceToken } from './poll-device-token.ts'
