/** The addresses of the protocol of runners, below `/api/actions`. */
import type { ProtocolRoute } from '#core/protocol-routes.ts'
import { connectRoute } from './connect.ts'
import { fetchTask } from './fetch-task.ts'
import * as messages from './messages.ts'
import { declare, ping, register, requireCallingRunner } from './registration.ts'
import { updateLog } from './update-log.ts'
import { updateTask } from './update-task.ts'

const KIB = 1024
/** Runners send at most some hundred rows at once; a row can be long. */
const MAX_LOG_BYTES = 16 * 1024 * KIB
const MAX_STATE_BYTES = 8 * 1024 * KIB

const RUNNER_SERVICE = '/api/actions/runner.v1.RunnerService'

export const runnerRoutes: readonly ProtocolRoute[] = [
  connectRoute({
    path: '/api/actions/ping.v1.PingService/Ping',
    request: messages.PingRequest,
    response: messages.PingResponse,
    maxBytes: 64 * KIB,
    handle: ping,
  }),
  connectRoute({
    path: `${RUNNER_SERVICE}/Register`,
    request: messages.RegisterRequest,
    response: messages.RegisterResponse,
    maxBytes: 64 * KIB,
    handle: register,
  }),
  connectRoute({
    path: `${RUNNER_SERVICE}/Declare`,
    request: messages.DeclareRequest,
    response: messages.DeclareResponse,
    maxBytes: 64 * KIB,
    authorize: requireCallingRunner,
    handle: declare,
  }),
  connectRoute({
    path: `${RUNNER_SERVICE}/FetchTask`,
    request: messages.FetchTaskRequest,
    response: messages.FetchTaskResponse,
    maxBytes: 64 * KIB,
    authorize: requireCallingRunner,
    handle: fetchTask,
  }),
  connectRoute({
    path: `${RUNNER_SERVICE}/UpdateTask`,
    request: messages.UpdateTaskRequest,
    response: messages.UpdateTaskResponse,
    maxBytes: MAX_STATE_BYTES,
    authorize: requireCallingRunner,
    handle: updateTask,
  }),
  connectRoute({
    path: `${RUNNER_SERVICE}/UpdateLog`,
    request: messages.UpdateLogRequest,
    response: messages.UpdateLogResponse,
    maxBytes: MAX_LOG_BYTES,
    authorize: requireCallingRunner,
    handle: updateLog,
  }),
]
