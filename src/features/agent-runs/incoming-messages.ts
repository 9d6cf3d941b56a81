/**
 * Delivers messages to the runs of the built-in agent: questions of people and other agents, and
 * comments that mention the agent.
 */
import { reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { agentAsked, BUILT_IN_AGENT, findQuestion } from '#features/agents/index.ts'
import { commentCreated, findComment, readReferences } from '#features/issues/index.ts'
import { contextOf, findPull, findReview, personCanWrite } from '#features/pulls/index.ts'
import { asData } from '#lib/data-marks.ts'
import { requeue } from './requeue.ts'
import { addEntries } from './session-entries.ts'
import {
  findOpenCall,
  findRunOfPull,
  insertTurn,
  listActiveRunsOf,
  resetCounts,
  type AgentRunRow,
} from './store.ts'

const hasEnded = ({ state }: AgentRunRow): boolean => state === 'stopped' || state === 'finished'

/**
 * Adds a message to the conversation with the model. A run that rests or waits is queued again. A
 * run that works, or waits for the answer to its own question, reads the message in its next turn.
 */
function deliverMessage(tx: Tx, run: AgentRunRow, text: string): void {
  const isWaitingForAnswer =
    run.state === 'waiting' && findOpenCall(tx.db, run.agent_id)?.tool === 'ask'
  if (run.state === 'resting' || (run.state === 'waiting' && !isWaitingForAnswer))
    requeue(tx, run, text)
  else insertTurn(tx, run.agent_id, 'user', text)
}

export const deliverQuestions = reaction(
  'questions are delivered to the built-in agent',
  agentAsked,
  (tx, { repo_id, actor_id, data: { number, question: id } }) => {
    const pull = repo_id === null ? null : findPull(tx.db, repo_id, number)
    const run = pull && findRunOfPull(tx.db, pull.id)
    const question = findQuestion(tx.db, id)
    if (!run || !question || hasEnded(run) || actor_id === run.agent_id) return
    const from = actorOf(tx.hearth, question.from_id).username
    const data = asData(run.agent_id, `question of ${from}`, question.text)
    const how =
      run.program === null
        ? `Answer with forge append_session, number ${number} and the entry {"kind": "answer", "text": …, "data": {"of": ${question.seq}}}. Then finish again.`
        : 'Answer it in your last message.'
    deliverMessage(tx, run, `Somebody asks you something about your work.\n${data}\n${how}`)
  },
)

/** The active runs of an issue or a pull request. */
function runsAt(tx: Tx, repo_id: string, number: number): AgentRunRow[] {
  const pull = findPull(tx.db, repo_id, number)
  if (!pull) return listActiveRunsOf(tx.db, repo_id, number)
  const run = findRunOfPull(tx.db, pull.id)
  return run && !hasEnded(run) ? [run] : []
}

/** Whether one of the mentions names the agent: `@agent`, `@<owner>/agent`, or the name of its program. */
function isMentioned(tx: Tx, run: AgentRunRow, mentions: readonly string[]): boolean {
  const { username } = actorOf(tx.hearth, run.agent_id)
  const names = [BUILT_IN_AGENT, username, `${BUILT_IN_AGENT}/${run.program ?? ''}`]
  return names.some((name) => mentions.includes(name.toLowerCase()))
}

/** Delivers comments of people with Write. A comment of anybody else starts no work. */
export const deliverMentions = reaction(
  'comments that mention the built-in agent are delivered to it',
  commentCreated,
  (tx, { repo_id, actor_id, data: { number, comment, review, verdict } }) => {
    // A review that requests changes sends the run back to work by itself (`reactions.ts`).
    if (repo_id === null || actor_id === null || verdict === 'request_changes') return
    const runs = runsAt(tx, repo_id, number)
    if (runs.length === 0) return
    const author = actorOf(tx.hearth, actor_id)
    const { full_name } = contextOf(tx.db, repo_id)
    if (author.kind !== 'user' || !personCanWrite(tx.hearth, full_name, actor_id)) return
    const pull = findPull(tx.db, repo_id, number)
    const text =
      (comment === null ? null : findComment(tx.db, comment)?.body) ??
      (pull && review !== null ? findReview(tx.db, pull.id, review)?.body : null) ??
      ''
    const { mentions } = readReferences(text)
    for (const run of runs.filter((one) => isMentioned(tx, one, mentions))) {
      resetCounts(tx, run.agent_id)
      const data = asData(run.agent_id, `comment of ${author.username}`, text)
      deliverMessage(tx, run, `A person mentions you in a comment on #${number}.\n${data}`)
      addEntries(tx, { pull_id: run.pull_id, author_id: actor_id }, [
        { kind: 'message', text, data: { role: 'user' } },
      ])
    }
  },
)
