/** Runs untrusted commands in a sandbox, within limits. */
export { describeIsolation, type Isolation } from './isolation.ts'
export type { CommandLimits as Limits } from './limits.ts'
export {
  collectOutput,
  tailOf as endOf,
  OutputSanitizer as OutputText,
  toPlainText as plainText,
  type OutputCollector as Collected,
} from './output.ts'
export type { CommandResult as Outcome, RunCommandOptions as RunOptions } from './run.ts'
export { createRunner, type Runner, type RunnerOptions } from './runner.ts'
export {
  writeCheckout,
  type CheckoutEntry,
  type JobDirectory as Workplace,
} from './job-directory.ts'
