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

/** Why a run waits whose last rounds were all the same. */
export const IN_A_LOOP = 'it made the same calls with the same results four times'
