/** Reviews a head of a pull request with the model for reviews. */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { call } from '#core/operation.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import {
  callModel,
  cutMiddle,
  modelFailure,
  ModelFailed,
  type ChatMessage,
  type ChatTool,
} from '#features/models/index.ts'
import { getPullChanges, reviewPull } from '#features/pulls/index.ts'
import { getFile } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { addEntries } from '../session-entries.ts'
import { textOf, ToolError } from '../tool.ts'
import { commentBody, readReview, REVIEW_TOOL, type GivenReview } from './given-review.ts'
import { reviewContext, type ReviewContext } from './review-context.ts'
import { reviewPrompt } from './review-prompt.ts'
import { endAgentReview, findAgentReview } from './store.ts'

const MAX_TURNS = 8
/** How often a review that cannot be stored is asked for again. */
const MAX_REPAIRS = 1
const MAX_READ_LINES = 300
const MAX_READ_CHARS = 12_000

const READ_TOOL: ChatTool = {
  type: 'function',
  function: {
    name: 'read',
    description: `Read lines of a file as the change leaves it, at most ${MAX_READ_LINES}.`,
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, from: { type: 'integer' } },
      required: ['path'],
    },
  },
}

const reviewing = service('pull requests under review', () => new Set<string>())

export const reviewByAgent = job<{ pull_id: string }>({
  kind: 'review_pull_by_agent',
  queue: 'models',
  run: async ({ hearth, signal }, { pull_id }) => {
    const running = reviewing(hearth)
    // The job that runs goes on with the newer head.
    if (running.has(pull_id)) return
    running.add(pull_id)
    try {
      for (;;) {
        const row = findAgentReview(hearth.db, pull_id)
        if (row?.state !== 'queued') return
        const context = reviewContext(hearth, row, signal)
        if (context === null) return await fail(hearth, row, 'its person may not act any more')
        await reviewHead(context)
      }
    } finally {
      running.delete(pull_id)
    }
  },
})

async function fail(
  hearth: Hearth,
  row: Pick<ReviewContext['row'], 'pull_id' | 'head_sha'>,
  reason: string,
): Promise<void> {
  await writeAs(hearth, null, (tx) => {
    if (!endAgentReview(tx, row, 'failed', reason.slice(0, 500))) return
    addEntries(tx, { pull_id: row.pull_id, author_id: null }, [
      {
        kind: 'error',
        text: `No review by the model: ${reason.slice(0, 500)}`,
        data: { code: 'review_failed' },
      },
    ])
  })
}

async function reviewHead(context: ReviewContext): Promise<void> {
  const { hearth, row, signal } = context
  try {
    await askModel(context)
    // Where the review was not of this head, the loop goes on; else this ends it.
    await writeAs(hearth, null, (tx) => void endAgentReview(tx, row, 'done'))
  } catch (error) {
    if (signal.aborted) throw new Error('the process is stopping')
    const { code, told } = modelFailure(error, 'the model took too long')
    if (code === 'internal')
      hearth.log.error('a review by a model failed', { pull: row.pull_id, error })
    await fail(hearth, row, told)
  }
}

async function askModel(context: ReviewContext): Promise<void> {
  const { hearth, row, repo, caller, pull, full_name, signal } = context
  const place = { repo: full_name, number: pull.number }
  const changes = await call(hearth, getPullChanges, caller, { ...place, per_page: 100 })
  const messages = await reviewPrompt(context, changes)
  const payer = {
    workspace_id: repo.workspace_id,
    task: 'review' as const,
    actor_id: row.agent_id,
    pull_id: pull.id,
  }
  let repairs = 0
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const isLast = turn === MAX_TURNS
    const tools = isLast ? [REVIEW_TOOL] : [READ_TOOL, REVIEW_TOOL]
    const answer = await callModel(hearth, payer, { messages, tools }, signal)
    const used = answer.calls[0]
    if (used?.function.name === 'review') {
      const problem = await handIn(context, used.function.arguments, repairs >= MAX_REPAIRS)
      if (problem === null) return
      if (repairs++ >= MAX_REPAIRS) throw new ModelFailed(`the model made no review: ${problem}`)
      messages.push(...answered(answer.text, used, `Error: ${problem}`))
    } else if (used) messages.push(...answered(answer.text, used, await readFor(context, used)))
    else if (repairs++ >= MAX_REPAIRS) throw new ModelFailed('the model made no review')
    else
      messages.push(
        { role: 'assistant', content: answer.text || 'I have no review.' },
        { role: 'user', content: 'Call the tool review.' },
      )
  }
  throw new ModelFailed(`the model made no review in ${MAX_TURNS} calls`)
}

type Used = Awaited<ReturnType<typeof callModel>>['calls'][number]

/** One call is answered a turn; a model that makes several asks again. */
const answered = (text: string, used: Used, content: string): ChatMessage[] => [
  { role: 'assistant', content: text || null, tool_calls: [used] },
  { role: 'tool', tool_call_id: used.id, content },
]

async function readFor(context: ReviewContext, { function: used }: Used): Promise<string> {
  const { hearth, caller, full_name, row } = context
  try {
    if (used.name !== 'read') throw new ToolError('there are the tools read and review')
    const input: unknown = JSON.parse(used.arguments)
    const given = typeof input === 'object' && input !== null ? { ...input } : {}
    const from = 'from' in given && Number.isInteger(given.from) ? Number(given.from) : 1
    const from_line = Math.max(1, from)
    const { content, binary, lines } = await call(hearth, getFile, caller, {
      repo: full_name,
      ref: row.head_sha,
      path: textOf(given, 'path').slice(0, 4_096),
      from_line,
      to_line: from_line + MAX_READ_LINES - 1,
    })
    return binary
      ? 'It is not a text file.'
      : `${cutMiddle(content, MAX_READ_CHARS)}\n[${lines} lines in all]`
  } catch (error) {
    if (error instanceof Refusal || error instanceof ToolError || error instanceof SyntaxError)
      return `Error: ${error.message}`
    throw error
  }
}

/**
 * Stores a review. A text says why it cannot be stored; the last time, comments on lines that the
 * change does not have are moved into the body.
 */
async function handIn(
  context: ReviewContext,
  given: string,
  isLast: boolean,
): Promise<string | null> {
  const review = readReview(given)
  if (typeof review === 'string') return review
  const left = [...review.comments]
  const moved: GivenReview['comments'] = []
  for (;;) {
    try {
      await store(context, review, left, moved)
      return null
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid') throw error
      const at = /^comments\[(\d+)\]/.exec(error.field ?? '')?.[1]
      if (at === undefined || !isLast) return `${error.field ?? 'review'}: ${error.message}`
      moved.push(...left.splice(Number(at), 1))
    }
  }
}

async function store(
  { hearth, caller, full_name, pull, row }: ReviewContext,
  { verdict, summary }: GivenReview,
  comments: GivenReview['comments'],
  moved: GivenReview['comments'],
): Promise<void> {
  const more = moved.map(
    (one) => `- \`${one.path.replaceAll('`', '')}\`, line ${one.line}: ${one.body}`,
  )
  await call(hearth, reviewPull, caller, {
    repo: full_name,
    number: pull.number,
    verdict,
    commit: row.head_sha,
    body: [summary, ...more].join('\n\n').toWellFormed(),
    comments: comments.map((one) => ({
      path: one.path,
      line: one.line,
      side: one.side ?? 'new',
      body: commentBody(one),
    })),
  })
}
