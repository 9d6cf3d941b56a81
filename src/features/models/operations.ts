export { getModelRoutes } from './get-model-routes.ts'
export { setModelRoutes } from './set-model-routes.ts'
