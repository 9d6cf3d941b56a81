/** Commands of strangers, run behind walls and within limits. */
export { describeIsolation, type Isolation } from './isolation.ts'
export type { Limits } from './limits.ts'
export { collectOutput, endOf, OutputText, plainText, type Collected } from './output.ts'
export type { Outcome, RunOptions } from './run.ts'
export { createRunner, type Runner, type RunnerOptions } from './runner.ts'
export { writeCheckout, type CheckoutEntry, type Workplace } from './workplace.ts'
