/** Runs untrusted commands in a sandbox, within limits. */
export { describeIsolation, type Isolation } from './isolation.ts'
export type { CommandLimits as Limits } from './limits.ts'
export { LogWriter } from './log/log-writer.ts'
export {
  MAX_PAGE_LINES,
  readGrowingLog,
  readPackedLog,
  type LogLine,
  type LogPage,
} from './log/log-reader.ts'
export { packLog } from './log/packed-log.ts'
export {
  collectOutput,
  tailOf as endOf,
  OutputSanitizer as OutputText,
  toPlainText as plainText,
  type OutputCollector as Collected,
} from './output.ts'
export type { CommandResult as Outcome, RunCommandOptions as RunOptions } from './run.ts'
export type { JobPaths, RunningJob, StepOptions, StepResult } from './job.ts'
export {
  DOOR_URL,
  programCwd,
  type ProgramEnd,
  type ProgramOptions,
  type RunningProgram,
} from './program.ts'
export { JOB_DOOR_URL, type Network } from './network.ts'
export type {
  ContainerPlace,
  ContainerSpec,
  ImageBuilder,
  ImageResult,
} from './containers/engine.ts'
export type {
  JobContainers,
  RunningService,
  ServiceSpec,
} from './containers/job-containers.ts'
export { builtImage } from './containers/built-images.ts'
export type { ExceededLimit } from './watch-limits.ts'
export { containerMounts, servicePart } from './job.ts'
export { DOOR_PART } from './job-directory.ts'
export { openTunnelProxy, type TunnelProxy, type TunnelTarget } from './tunnel-proxy.ts'
export { createRunner, type Runner, type RunnerOptions } from './runner.ts'
export {
  doorSocket,
  proxySocket,
  writeCheckout,
  type CheckoutEntry,
  type JobDirectory as Workplace,
} from './job-directory.ts'
