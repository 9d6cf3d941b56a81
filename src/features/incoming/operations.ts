export { getIncomingHook } from './get-incoming-hook.ts'
export { setIncomingHook } from './set-incoming-hook.ts'
export { removeIncomingHook } from './remove-incoming-hook.ts'
export { listIncomingDeliveries } from './list-incoming-deliveries.ts'
