/** Sends a run back to work. */
import type { Tx } from '#core/write.ts'
import { findOpenCall, insertTurn, setCallDone, setRunState, type AgentRunRow } from './store.ts'
import { workAgent } from './work-agent.ts'

/**
 * Gives the model a new turn and queues the run. A question that waits for an answer gets the text
 * as its answer.
 */
export function requeue(tx: Tx, run: AgentRunRow, text: string): void {
  const open = findOpenCall(tx.db, run.agent_id)
  if (open?.tool === 'ask' && open.state === 'started') setCallDone(tx, open, text)
  else insertTurn(tx, run.agent_id, 'user', text)
  setRunState(tx, run.agent_id, 'queued')
  tx.enqueue(workAgent, { agent_id: run.agent_id }, { key: run.agent_id })
}
