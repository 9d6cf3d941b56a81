export { getModelGateway } from './get-model-gateway.ts'
export { getModelRoutes } from './get-model-routes.ts'
export { setModelGateway } from './set-model-gateway.ts'
export { setModelRoutes } from './set-model-routes.ts'
