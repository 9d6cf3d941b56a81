/**
 * One step of a run whose work a program does: either it is sent the turn that waits, or what it has
 * made is handed over. Both begin from rows, so a process that ends between them loses nothing.
 */
import { writeAs, type Tx } from '#core/write.ts'
import { listWaitingQuestions } from '#features/agents/index.ts'
import { Refusal } from '#lib/errors.ts'
import { runContext, type RunContext } from '../run-context.ts'
import { addEntries } from '../session-entries.ts'
import {
  countTurn,
  findRun,
  hasUnread,
  insertTurn,
  listTurns,
  moveUnread,
  setRunState,
  type TurnRow,
} from '../store.ts'
import { commitAll, finishRun } from '../submit.ts'
import { ToolError, type ToolResult } from '../tool.ts'
import { describeFault } from './box.ts'
import { promptProgram } from './prompt-program.ts'
import { openQuestion } from './questions.ts'
import { findProgram } from './store-programs.ts'
import { readChanges, type Changes } from './worktree.ts'

const NOTHING_SAID = 'The agent changed nothing and said nothing.'
const MAX_SUMMARY_CHARS = 20_000

/** Why a turn that did not end by itself has ended, for people. */
const REASONS: Readonly<Record<string, string>> = {
  max_tokens: 'the model wrote as much as it may in one answer',
  max_turn_requests: 'the program called its model as often as it may',
  refusal: 'the model refused the task',
  cancelled: 'its turn was cancelled',
}

type Wait = (reason: string) => Promise<void>

export async function stepProgram(context: RunContext, wait: Wait): Promise<void> {
  const last = listTurns(context.hearth.db, context.run.agent_id).at(-1)
  if (!last) throw new TypeError('a run has a first turn')
  if (last.role === 'user') await promptStep(context, last, wait)
  else await handOver(context, last, wait)
}

async function promptStep(context: RunContext, last: TurnRow, wait: Wait): Promise<void> {
  const { hearth, run, signal } = context
  const program = findProgram(hearth.db, run.program ?? '')
  if (!program) return await wait(`an administrator has removed the program ${run.program}`)
  try {
    const { reason, text } = await promptProgram(context, program, last.seq)
    if (reason !== 'end_turn')
      return await wait(REASONS[reason] ?? `the program ended its turn with ${reason.slice(0, 40)}`)
    await writeAs(hearth, null, (tx) => {
      if (findRun(tx.db, run.agent_id)?.state !== 'working') return
      const answer = insertTurn(tx, run.agent_id, 'model', text.slice(0, MAX_SUMMARY_CHARS))
      moveUnread(tx, run.agent_id, last.seq, answer)
      countTurn(tx, run.agent_id)
    })
  } catch (error) {
    if (signal.aborted) throw error
    const fault = describeFault(error)
    if (fault === null) throw error
    hearth.log.warn('an agent program failed', {
      program: program.name,
      agent: run.agent_id,
      fault,
    })
    await wait(`${program.name}: ${fault}`)
  }
}

/** Commits what has changed, runs the checks and asks for review; or asks the person. */
async function handOver(context: RunContext, { seq, text }: TurnRow, wait: Wait): Promise<void> {
  const { hearth, run, pull, caller, signal, head } = context
  try {
    const changes = await readChanges(context)
    await noteLeftOut(context, changes)
    if (changes.files.size === 0 && head === run.prompted_head) {
      return await writeAs(hearth, null, (tx) => {
        if (findRun(tx.db, run.agent_id)?.state !== 'working') return
        if (!answerQuestions(tx, context, text))
          openQuestion(tx, run, { text: text || NOTHING_SAID, turn: seq, author_id: caller.id })
      })
    }
    await commitAll({ ...context, ...changes }, `${pull.title}\n\n${firstParagraph(text)}`.trim())
    const committed = runContext(hearth, run.agent_id, signal)
    if (committed === null) return
    await settle(committed, await finishRun(committed, text || pull.title))
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError || error instanceof Refusal)) throw error
    await wait(error.message)
  }
}

/** Stores the last message of a program as the answer to the open questions. False when there is none. */
function answerQuestions(tx: Tx, { run, pull, caller }: RunContext, text: string): boolean {
  const questions = pull.status === 'open' ? listWaitingQuestions(tx.db, pull.id) : []
  if (text.trim() === '' || questions.length === 0) return false
  addEntries(
    tx,
    { pull_id: run.pull_id, author_id: caller.id },
    questions.map(({ seq }) => ({ kind: 'answer', text, data: { of: seq } })),
  )
  setRunState(tx, run.agent_id, 'resting')
  return true
}

const firstParagraph = (text: string): string => text.split(/\n\s*\n/)[0]?.slice(0, 2_000) ?? ''

/** Says what of the program's files is not taken over. */
async function noteLeftOut({ hearth, run }: RunContext, { notes }: Changes): Promise<void> {
  if (notes.length === 0) return
  await writeAs(hearth, null, (tx) =>
    addEntries(tx, { pull_id: run.pull_id, author_id: null }, [
      { kind: 'error', text: `Left out:\n${notes.join('\n')}`, data: { code: 'left_out' } },
    ]),
  )
}

/** Ready for review, or sent back with what fails. */
async function settle({ hearth, run, caller }: RunContext, result: ToolResult): Promise<void> {
  await writeAs(hearth, null, (tx) => {
    if (findRun(tx.db, run.agent_id)?.state !== 'working') return
    result.apply?.(tx)
    addEntries(tx, { pull_id: run.pull_id, author_id: caller.id }, result.entries ?? [])
    if (result.ok === false) insertTurn(tx, run.agent_id, 'user', result.text)
    if (!result.next) return
    const { state, reason } = result.next
    // A message that arrived meanwhile is its next turn.
    if (state === 'resting' && hasUnread(tx.db, run.agent_id)) return
    setRunState(tx, run.agent_id, state, reason)
  })
}
