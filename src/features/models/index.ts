/** Models: which model does which task, the one place that calls them, and their gateway. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { protocolRoutes } from '#core/protocol-routes.ts'
import { embedders } from '#features/memory/index.ts'
import { modelSpeed } from '#features/integrations/index.ts'
import { configuredModels } from '#features/repos/index.ts'
import { findEmbedder } from './embed-texts.ts'
import { gatewayRoutes } from './gateway/gateway-routes.ts'
import { measureSpeed } from './measure-speed.ts'
import * as operations from './operations.ts'
import { forgetIntegration } from './routes.ts'
import { findRoute } from './store-routes.ts'
import { sweepModelCalls } from './sweep.ts'

export * from './operations.ts'
export * from './schema.ts'
export { callModel, ModelFailed } from './call-model.ts'
export { modelFailure } from './failure.ts'
export { modelLoop } from './events.ts'
export { describeReachedCap } from './ledger.ts'
export { isLoop } from './loop.ts'
export { requireRoute } from './routes.ts'
export { cutEnd, cutMiddle, cutStart, inputBytesOf, listOfLines } from './context-budget.ts'
export { findRoute } from './store-routes.ts'
export type { ChatMessage, ChatTool } from './wires/events.ts'

export const feature: Feature = {
  name: 'models',
  operations: Object.values(operations),
  handlers: [forgetIntegration],
  jobs: [sweepModelCalls] as Job[],
  extensions: [
    ...gatewayRoutes.map((route) => protocolRoutes.with(route)),
    modelSpeed.with(measureSpeed),
    embedders.with(findEmbedder),
    configuredModels.with((db, workspace_id, task) => findRoute(db, workspace_id, task) !== null),
  ],
}
