/**
 * The loop of the built-in agent. Each step reads its state from rows and writes its result in one
 * transaction, so a process that ends between two steps loses nothing, and the next one goes on.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { stopAgentAtCost } from '#features/agents/index.ts'
import { findIssue } from '#features/issues/index.ts'
import { findSimilarMemories, takeMemories } from '#features/memory/index.ts'
import {
  callModel,
  describeReachedCap,
  isLoop,
  modelFailure,
  type ModelTask,
} from '#features/models/index.ts'
import { isSessionFull } from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { sleep } from '#lib/waiting.ts'
import { addEntries, inputForRecord } from './session-entries.ts'
import { memoryText, messagesFor } from './prompt.ts'
import { acquireRunPermit } from './run-permits.ts'
import { runContext, type RunContext } from './run-context.ts'
import { removeEndedFiles } from './program/remove-files.ts'
import { stepProgram } from './program/work-program.ts'
import { beginWork } from './running.ts'
import { IN_A_LOOP } from './schema.ts'
import {
  countTurn,
  findOpenCall,
  findRun,
  hasUnread,
  insertCall,
  insertTurn,
  lastTurnSeq,
  listTurns,
  moveUnread,
  setCallDone,
  setCallStarted,
  setMemories,
  setRunState,
  type CallRow,
} from './store.ts'
import { ToolError, type ToolResult } from './tool.ts'
import { CHAT_TOOLS, TOOLS } from './tools.ts'

const MAX_TURNS = 200
const MAX_CALLS_A_TURN = 16
/** Entries that one step of the loop may add, with those of the model gateway. */
const MAX_ENTRIES_A_STEP = 10
const RESERVED_DELAY_MS = SECOND
const NUDGE =
  'Go on with the tools: finish when the work is submitted, or ask when you need something.'
const RESTARTED =
  'The service was restarted while this ran, so what it did is not known. Look before you repeat it.'

export const workAgent = job<{ agent_id: string }>({
  kind: 'work_agent',
  queue: 'agents',
  run: async ({ hearth, signal }, { agent_id }) => {
    const run = findRun(hearth.db, agent_id)
    if (run?.state !== 'queued' && run?.state !== 'working') return
    const work = beginWork(hearth, agent_id)
    let releasePermit = (): void => {}
    try {
      const either = AbortSignal.any([signal, work.signal])
      releasePermit = await acquireRunPermit(hearth, run.repo_id, either)
      await workOn(hearth, agent_id, either)
    } catch (error) {
      if (work.signal.aborted) return
      // The next process goes on with the rows.
      if (signal.aborted) throw new Error('the process is stopping')
      hearth.log.error('the built-in agent failed', { agent: agent_id, error })
      await waitFor(hearth, agent_id, 'something went wrong on this server; its log says what')
    } finally {
      releasePermit()
      work.end()
      // A stop did not wait for the end of the program.
      if (findRun(hearth.db, agent_id)?.program) await removeEndedFiles(hearth, agent_id)
    }
  },
})

async function workOn(hearth: Hearth, agent_id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const isWorking = await writeAs(hearth, null, (tx) => {
      const run = findRun(tx.db, agent_id)
      if (run?.state === 'queued') setRunState(tx, agent_id, 'working')
      return run?.state === 'queued' || run?.state === 'working'
    })
    if (!isWorking) return
    const context = runContext(hearth, agent_id, signal)
    if (context === null) {
      await writeAs(hearth, null, (tx) => setRunState(tx, agent_id, 'stopped', 'its time is over'))
      return
    }
    // Whatever it does must be readable afterwards.
    if (isSessionFull(context.pull, MAX_ENTRIES_A_STEP))
      return await waitFor(
        hearth,
        agent_id,
        'the session of its pull request takes no more entries',
      )
    if (context.run.has_memories === 0) {
      await recallFor(context)
      continue
    }
    if (context.run.program !== null) {
      await stepProgram(context, (reason) => waitFor(hearth, agent_id, reason))
      continue
    }
    const open = findOpenCall(hearth.db, agent_id)
    if (open) await perform(context, open)
    else if (context.run.turns >= MAX_TURNS)
      await waitFor(hearth, agent_id, `it has called its model ${MAX_TURNS} times`)
    else await think(context)
  }
}

/** Gives a run what is remembered about its issue, before its first turn. */
async function recallFor({ hearth, run, context: { repo } }: RunContext): Promise<void> {
  const { agent_id } = run
  const issue = findIssue(hearth.db, run.repo_id, run.issue)
  const task = issue === null ? '' : `${issue.title}\n${issue.body}`
  const similar = await findSimilarMemories(hearth, repo, task, agent_id)
  await writeAs(hearth, null, (tx) => {
    if (findRun(tx.db, agent_id)?.state !== 'working') return
    const memories = takeMemories(tx, repo, task, similar)
    setMemories(tx, agent_id, memories === '' ? '' : memoryText(memories, agent_id))
  })
}

/** Lets a person decide how it goes on. `told` is the reason for whoever reads the session. */
const waitFor = (hearth: Hearth, agent_id: string, reason: string, told = reason): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const run = findRun(tx.db, agent_id)
    if (run?.state !== 'working') return
    setRunState(tx, agent_id, 'waiting', reason.slice(0, 500))
    addEntries(tx, { pull_id: run.pull_id, author_id: null }, [
      { kind: 'error', text: `The agent waits: ${told}`, data: { code: 'waiting' } },
    ])
  })

/** Asks the model, and stores its turn with the calls that it wants. */
async function think(context: RunContext): Promise<void> {
  const { hearth, run, caller, signal } = context
  const { agent_id } = run
  const payer = {
    workspace_id: context.context.repo.workspace_id,
    task: run.task as ModelTask,
    actor_id: agent_id,
    pull_id: run.pull_id,
  }
  let answer: Awaited<ReturnType<typeof callModel>>
  const read = lastTurnSeq(hearth.db, agent_id)
  try {
    const messages = await messagesFor(context)
    if (isLoop({ messages })) return await waitFor(hearth, agent_id, IN_A_LOOP)
    answer = await callModel(hearth, payer, { messages, tools: CHAT_TOOLS }, signal)
  } catch (error) {
    return await modelFailed(context, error)
  }
  const text = answer.text.toWellFormed()
  await writeAs(hearth, null, (tx) => {
    if (findRun(tx.db, agent_id)?.state !== 'working') return
    const turn = insertTurn(tx, agent_id, 'model', text)
    countTurn(tx, agent_id)
    const hasNewMessages = moveUnread(tx, agent_id, read, turn)
    answer.calls.slice(0, MAX_CALLS_A_TURN).forEach((call, position) =>
      insertCall(tx, {
        agent_id,
        turn,
        position,
        call_id: call.id,
        tool: call.function.name.slice(0, 100),
        input: call.function.arguments,
      }),
    )
    if (text.trim() !== '')
      addEntries(tx, { pull_id: run.pull_id, author_id: caller.id }, [
        { kind: 'message', text, data: { role: 'agent' } },
      ])
    if (answer.calls.length > 0 || hasNewMessages) return
    const turns = listTurns(tx.db, agent_id)
    if (turns.at(-2)?.text === NUDGE)
      setRunState(
        tx,
        agent_id,
        'waiting',
        'it stopped without finishing; its last message says why',
      )
    else insertTurn(tx, agent_id, 'user', NUDGE)
  })
}

async function modelFailed({ hearth, run, signal }: RunContext, error: unknown): Promise<void> {
  if (signal.aborted) throw error
  if (error instanceof Refusal && error.reason === 'cost_cap')
    return await writeAs(hearth, null, (tx) =>
      stopAgentAtCost(tx, run.agent_id, run.pull_id, describeReachedCap(error)),
    )
  if (error instanceof Refusal && error.code === 'rate_limited')
    return await sleep(RESERVED_DELAY_MS, signal)
  const { code, message, told } = modelFailure(error, 'its model took too long')
  if (code === 'internal') throw error
  await waitFor(hearth, run.agent_id, message, told)
}

function inputOf(call: CallRow): Record<string, unknown> {
  let input: unknown
  try {
    input = JSON.parse(call.input)
  } catch {
    throw new ToolError('the arguments are not JSON')
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new ToolError('the arguments must be an object')
  return input as Record<string, unknown>
}

async function resultOf(context: RunContext, call: CallRow): Promise<ToolResult> {
  const tool = TOOLS.find(({ name }) => name === call.tool)
  try {
    if (!tool)
      throw new ToolError(
        `there is no tool ${call.tool}; there are ${TOOLS.map(({ name }) => name).join(', ')}`,
      )
    if (call.state === 'started' && !tool.isRepeatable) throw new ToolError(RESTARTED)
    const input = inputOf(call)
    await writeAs(context.hearth, null, (tx) => setCallStarted(tx, call))
    return await tool.run(context, input)
  } catch (error) {
    if (context.signal.aborted) throw error
    if (error instanceof ToolError || error instanceof Refusal)
      return { text: `Error: ${error.message}`, ok: false }
    throw error
  }
}

/** Does one call. Its result, its entries and what it changes are one transaction. */
async function perform(context: RunContext, call: CallRow): Promise<void> {
  const { hearth, run, caller } = context
  const result = await resultOf(context, call)
  const { ok = true } = result
  await writeAs(hearth, null, (tx) => {
    if (findRun(tx.db, run.agent_id)?.state !== 'working') return
    result.apply?.(tx)
    if (!result.isOpen) setCallDone(tx, call, result.text)
    const input = safeInput(call)
    const by = { pull_id: run.pull_id, author_id: caller.id }
    const seq = addEntries(tx, by, [
      { kind: 'tool', tool: call.tool, text: titleOf(call.tool, input), data: { input, ok } },
    ])
    if (!result.isOpen)
      addEntries(tx, by, [{ kind: 'result', text: result.text, data: { of: seq, ok } }])
    addEntries(tx, by, result.entries ?? [])
    if (result.next) moveOn(tx, run.agent_id, result.next)
  })
}

/** A run that received a message while it finished its work reads it before it rests. */
function moveOn(
  tx: Tx,
  agent_id: string,
  { state, reason }: NonNullable<ToolResult['next']>,
): void {
  if (state === 'resting' && hasUnread(tx.db, agent_id)) return
  setRunState(tx, agent_id, state, reason)
}

function safeInput(call: CallRow): Record<string, unknown> {
  try {
    return inputForRecord(inputOf(call))
  } catch {
    return {}
  }
}

/** One line that says what a call is about. */
const titleOf = (tool: string, input: Record<string, unknown>): string => {
  const about = input.path ?? input.command ?? input.text ?? input.message ?? input.name ?? ''
  return `${tool} ${String(about)}`.trim().split('\n')[0]?.slice(0, 200) ?? tool
}
