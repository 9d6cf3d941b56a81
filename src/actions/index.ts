/** Workflow files: read, checked, evaluated, planned. See README.md. */
export * from './model.ts'
export * from './run-state.ts'
export {
  evaluate,
  ExpressionBudget,
  ExpressionFault,
  holds,
  isTruthy,
  statusFunctions,
  withHashFiles,
  type ExpressionFunctions,
  type Scope,
} from './expression.ts'
export { expand, expandStrings, interpolate } from './template.ts'
export { isJsonObject, scalarText, type Json, type JsonObject } from './json.ts'
export type { WorkflowReading } from './parse-workflow.ts'
export { WorkflowReader } from './workflow-reader.ts'
export type { Action, ActionReading } from './read-action.ts'
export { EVENT_NAMES } from './model.ts'
export { parseUses, type Uses } from './uses.ts'
export { intersectPermissions, levelFor, PERMISSION_SCOPES } from './permissions.ts'
export { nextCronTime } from './cron.ts'
export { MatcherFault, MAX_MATCHER_FILE_BYTES, ProblemMatchers } from './problem-matchers.ts'
export { CommandReader, parseCommand, type Command } from './commands.ts'
export {
  CommandFileFault,
  isSettable,
  MAX_COMMAND_FILE_BYTES,
  readPairs,
  readPaths,
} from './file-commands.ts'
export { Masks } from './masks.ts'
export { compilePatterns } from './patterns.ts'
export {
  matchEvent,
  MAX_FILTERED_PATHS,
  type EventMatch,
  type TriggerEvent,
} from './match-event.ts'
export { applyDecisions, decide, initialJobs, runConcurrency, runTitle } from './decide.ts'
export { needsOf } from './needs.ts'
export { secretsOf } from './calls.ts'
export { strategyContext } from './plan-job.ts'
export { exportJob } from './export-job.ts'
