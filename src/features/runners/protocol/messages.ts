/**
 * Messages of the protocol of Gitea's and Forgejo's runners (`runner.v1`, `ping.v1`;
 * https://gitea.com/gitea/actions-proto-def, MIT). Fields that no runner sends or reads are left out.
 */
import {
  bool,
  bytes,
  enumeration,
  int64,
  list,
  map,
  message,
  one,
  string,
  struct,
  timestamp,
  type ValueOf,
} from '#lib/protobuf.ts'

const Result = enumeration(
  'RESULT_UNSPECIFIED',
  'RESULT_SUCCESS',
  'RESULT_FAILURE',
  'RESULT_CANCELLED',
  'RESULT_SKIPPED',
)
export type Result = ValueOf<typeof Result>

const RunnerStatus = enumeration(
  'RUNNER_STATUS_UNSPECIFIED',
  'RUNNER_STATUS_IDLE',
  'RUNNER_STATUS_ACTIVE',
  'RUNNER_STATUS_OFFLINE',
)

export const PingRequest = message({ data: one(1, string) })
export const PingResponse = message({ data: one(1, string) })

const RunnerMessage = message({
  id: one(1, int64),
  uuid: one(2, string),
  token: one(3, string),
  name: one(4, string),
  status: one(5, RunnerStatus),
  version: one(8, string),
  labels: list(9, string),
  ephemeral: one(10, bool),
})

export const RegisterRequest = message({
  name: one(1, string),
  token: one(2, string),
  /** Of old runners, in the place of `labels`. */
  agentLabels: list(3, string),
  version: one(5, string),
  labels: list(6, string),
  ephemeral: one(7, bool),
})
export const RegisterResponse = message({ runner: one(1, RunnerMessage) })

export const DeclareRequest = message({ version: one(1, string), labels: list(2, string) })
export const DeclareResponse = message({ runner: one(1, RunnerMessage) })

const TaskNeed = message({ outputs: map(1, string), result: one(2, Result) })

export const Task = message({
  id: one(1, int64),
  workflowPayload: one(2, bytes),
  context: one(3, struct),
  secrets: map(4, string),
  needs: map<ValueOf<typeof TaskNeed>>(6, TaskNeed),
  vars: map(7, string),
})
export type Task = ValueOf<typeof Task>

export const FetchTaskRequest = message({ tasksVersion: one(1, int64) })
export const FetchTaskResponse = message({ task: one(1, Task), tasksVersion: one(2, int64) })

const StepState = message({
  id: one(1, int64),
  result: one(2, Result),
  startedAt: one(3, timestamp),
  stoppedAt: one(4, timestamp),
  logIndex: one(5, int64),
  logLength: one(6, int64),
})
export type StepMessage = ValueOf<typeof StepState>

const TaskState = message({
  id: one(1, int64),
  result: one(2, Result),
  startedAt: one(3, timestamp),
  stoppedAt: one(4, timestamp),
  steps: list<StepMessage>(5, StepState),
})

export const UpdateTaskRequest = message({ state: one(1, TaskState), outputs: map(2, string) })
export const UpdateTaskResponse = message({
  state: one(1, TaskState),
  sentOutputs: list(2, string),
})

const LogRow = message({ time: one(1, timestamp), content: one(2, string) })
export type LogRow = ValueOf<typeof LogRow>

export const UpdateLogRequest = message({
  taskId: one(1, int64),
  index: one(2, int64),
  rows: list<LogRow>(3, LogRow),
  noMore: one(4, bool),
})
export const UpdateLogResponse = message({ ackIndex: one(1, int64) })
