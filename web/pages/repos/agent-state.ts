// How the state of an agent looks.
import type { Agent } from '#features/agents/index.ts'
import { texts } from '../../text.ts'

const TONES = {
  working: 'good',
  waiting: 'wait',
  idle: 'plain',
  stopped: 'bad',
  finished: 'done',
} as const
const WORDS = texts({
  working: 'Working',
  waiting: 'Waits for an answer',
  idle: 'Idle',
  stopped: 'Stopped',
  finished: 'Finished',
} as const)

export const agentStateStyle = (state: Agent['state']) => ({
  tone: TONES[state],
  label: WORDS[state],
})
