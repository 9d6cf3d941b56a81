// How the state of an agent looks.
import type { Agent } from '#features/agents/index.ts'
import { t, texts } from '../../text.ts'

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

export const agentStateStyle = ({
  state,
  asked,
  waiting_for,
}: Pick<Agent, 'state' | 'asked' | 'waiting_for'>) => ({
  tone: TONES[state],
  // The built-in agent also waits when a model fails or a limit is reached.
  label: waiting_for !== null && !asked ? t('Needs attention') : WORDS[state],
})
