/** States of the built-in agent at work. */
export const RUN_STATES = [
  'queued',
  'working',
  'waiting',
  'resting',
  'stopped',
  'finished',
] as const
/**
 * queued: for a free place; working: calls its model and tools; waiting: for a person; resting: its
 * pull request waits for checks, reviews and merging.
 */
export type RunState = (typeof RUN_STATES)[number]
