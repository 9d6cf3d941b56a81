/** Sends a run back to work. */
import type { Tx } from '#core/write.ts'
import { answerProgram } from './program/questions.ts'
import { findOpenCall, insertTurn, setCallDone, setRunState, type AgentRunRow } from './store.ts'
import { workAgent } from './work-agent.ts'

/**
 * Gives the model a new turn and queues the run. A question that waits for an answer gets the text
 * as its answer, and a program that is held for it goes on.
 */
export function requeue(tx: Tx, run: AgentRunRow, text: string): void {
  const open = findOpenCall(tx.db, run.agent_id)
  const isAsked = open?.tool === 'ask' && (open.state === 'started' || run.program !== null)
  if (isAsked) setCallDone(tx, open, text)
  if (answerProgram(tx, run.agent_id, text)) return
  // A program is sent the answer as its next turn; a model as the result of its call.
  if (!isAsked || run.program !== null) insertTurn(tx, run.agent_id, 'user', text)
  setRunState(tx, run.agent_id, 'queued')
  tx.enqueue(workAgent, { agent_id: run.agent_id }, { key: run.agent_id })
}
