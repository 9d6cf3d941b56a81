/** What sends the built-in agent back to work, and what ends it. */
import { handler, reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { tokenEnded } from '#features/accounts/index.ts'
import { findAgent, findAgentOfToken } from '#features/agents/index.ts'
import { checksCompleted, checksOf } from '#features/checks/index.ts'
import { commentCreated } from '#features/issues/index.ts'
import { modelLoop } from '#features/models/index.ts'
import {
  contextOf,
  findPull,
  findReview,
  findEntry,
  sessionAsked,
  type PullRow,
} from '#features/pulls/index.ts'
import { asData } from '#lib/data-marks.ts'
import { removeProgramFiles } from './program/remove-files.ts'
import { requeue } from './requeue.ts'
import { abortWork } from './running.ts'
import { IN_A_LOOP } from './schema.ts'
import { addEntries } from './session-entries.ts'
import {
  countRevision,
  findRun,
  findRunOfPull,
  resetCounts,
  setRunState,
  type AgentRunRow,
} from './store.ts'

const MAX_OUTPUT_CHARS = 2_000

/** Sends a resting run back to work, or lets a person decide when it has used its revisions. */
function revise(tx: Tx, run: AgentRunRow, pull: PullRow, text: string, why: string): void {
  const { max_revisions } = contextOf(tx.db, run.repo_id).settings
  if (run.revisions < max_revisions) {
    countRevision(tx, run.agent_id)
    requeue(tx, run, text)
    return
  }
  setRunState(tx, run.agent_id, 'waiting', why)
  addEntries(tx, { pull_id: pull.id, author_id: null }, [
    {
      kind: 'error',
      text: `The agent waits: ${why}, and it has used its ${max_revisions} revisions (setting max_revisions).`,
      data: { code: 'max_revisions' },
    },
  ])
}

const restingRun = (tx: Tx, repo_id: string | null, number: number) => {
  const pull = repo_id === null ? null : findPull(tx.db, repo_id, number)
  const run = pull && findRunOfPull(tx.db, pull.id)
  return run?.state === 'resting' && pull ? { run, pull } : null
}

export const reviseFailedChecks = reaction(
  'the built-in agent mends failed checks',
  checksCompleted,
  (tx, { repo_id, data: { number, status, sha } }) => {
    const found = restingRun(tx, repo_id, number)
    if (!found || status === 'passed' || found.pull.head_sha !== sha) return
    const { run, pull } = found
    const checks = checksOf(tx.hearth, pull)
    const failed = checks.results.filter((result) => result.status !== 'passed')
    const output = failed
      .map(
        ({ command, output_tail }) =>
          `$ ${command}\n${(output_tail ?? '').slice(-MAX_OUTPUT_CHARS)}`,
      )
      .join('\n\n')
    const text = `The checks of the pull request ${status === 'failed' ? 'failed' : 'did not finish'}. ${checks.message ?? ''}\n${asData(run.agent_id, 'checks', output)}`
    revise(tx, run, pull, text, 'its checks failed')
  },
)

export const reviseRequestedChanges = reaction(
  'the built-in agent follows reviews',
  commentCreated,
  (tx, { repo_id, actor_id, data: { number, review: id, verdict } }) => {
    const found = restingRun(tx, repo_id, number)
    if (!found || id === null || verdict !== 'request_changes') return
    const { run, pull } = found
    const review = findReview(tx.db, pull.id, id)
    // A review by somebody without Write is a remark, which starts no work.
    if (review?.could_write !== 1 || actor_id === run.agent_id) return
    const text = `Changes were requested. get_pull and list_review_threads have the comments on lines.\n${asData(run.agent_id, 'review', review.body)}`
    revise(tx, run, pull, text, 'changes were requested')
  },
)

export const takeAnswers = handler(
  'answers reach the built-in agent',
  sessionAsked,
  (tx, { repo_id, number, kind, seq, author_id }) => {
    const pull = kind === 'answer' ? findPull(tx.db, repo_id, number) : null
    const run = pull && findRunOfPull(tx.db, pull.id)
    if (run?.state !== 'waiting' || !pull || author_id === run.agent_id) return
    const text = findEntry(tx.db, pull.id, seq)?.text ?? ''
    resetCounts(tx, run.agent_id)
    requeue(tx, run, text)
  },
)

export const endWithToken = handler(
  'the built-in agent ends with its token',
  tokenEnded,
  (tx, { id, kind, reason }) => {
    const agent = kind === 'agent' ? findAgentOfToken(tx.db, id) : null
    const run = agent && findRun(tx.db, agent.id)
    if (!agent || !run || run.state === 'finished' || run.state === 'stopped') return
    const state = findAgent(tx.db, agent.id)?.ended_as === 'finished' ? 'finished' : 'stopped'
    setRunState(tx, agent.id, state, reason)
    if (run.program !== null)
      tx.enqueue(removeProgramFiles, { agent_id: agent.id }, { key: agent.id })
    tx.afterCommit(() => abortWork(tx.hearth, agent.id))
  },
)

/** Its program calls the same tools in vain, so a person decides how it goes on. */
export const waitAfterLoop = handler(
  'agents wait after the same calls in vain',
  modelLoop,
  (tx, { actor_id }) => {
    if (findRun(tx.db, actor_id)?.state === 'working')
      setRunState(tx, actor_id, 'waiting', IN_A_LOOP)
  },
)
