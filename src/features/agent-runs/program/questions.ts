/** Permissions that a program waits for while a person decides. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import type { Tx } from '#core/write.ts'
import { writeAs } from '#core/write.ts'
import { addEntries } from '../session-entries.ts'
import { findRun, insertCall, listCalls, setRunState, type AgentRunRow } from '../store.ts'

/** Programs of this process that wait, by agent. */
const waiting = service(
  'permissions of agent programs',
  () => new Map<string, (text: string) => void>(),
)

/** Hands an answer to the program that waits for it. False when none does. */
export function answerProgram(tx: Tx, agent_id: string, text: string): boolean {
  const answer = waiting(tx.hearth).get(agent_id)
  if (!answer) return false
  setRunState(tx, agent_id, 'working')
  tx.afterCommit(() => answer(text))
  return true
}

/** Whether a person has allowed it. What is unclear is no. */
export const isYes = (text: string): boolean =>
  /^\s*(allow|yes|y|ok|okay|approve|approved|go on|ja)\b/i.test(text) || /^\s*نعم/u.test(text)

export type Question = { readonly text: string; readonly turn: number; readonly author_id: string }

/**
 * Asks the person and waits. Null when nobody answers in time: the question stays open, and its
 * answer sends the run back to work.
 */
export async function askPerson(
  hearth: Hearth,
  run: AgentRunRow,
  { text, turn, author_id }: Question,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<string | null> {
  const { agent_id } = run
  const answer = Promise.withResolvers<string | null>()
  waiting(hearth).set(agent_id, answer.resolve)
  const timer = setTimeout(() => answer.resolve(null), timeoutMs)
  const abort = (): void => answer.resolve(null)
  signal.addEventListener('abort', abort, { once: true })
  try {
    const isAsked = await writeAs(hearth, null, (tx) => {
      if (findRun(tx.db, agent_id)?.state !== 'working') return false
      openQuestion(tx, run, { text, turn, author_id })
      return true
    })
    return isAsked && !signal.aborted ? await answer.promise : null
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    waiting(hearth).delete(agent_id)
  }
}

/** Writes a question, which the run waits on. */
export function openQuestion(tx: Tx, run: AgentRunRow, { text, turn, author_id }: Question): void {
  const position = listCalls(tx.db, run.agent_id).filter((call) => call.turn === turn).length
  const call = { agent_id: run.agent_id, turn, position, call_id: `ask_${turn}_${position}` }
  insertCall(tx, { ...call, tool: 'ask', input: JSON.stringify({ question: text }) })
  addEntries(tx, { pull_id: run.pull_id, author_id }, [
    { kind: 'question', text, data: { to: 'person' } },
  ])
  setRunState(tx, run.agent_id, 'waiting', 'it asked a question')
}
