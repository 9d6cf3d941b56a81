/** Plans that a model makes: what it is sent, and how its answer becomes a plan. */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { isValid, Type, type Static } from '#core/schema.ts'
import { writeAs, type Tx } from '#core/write.ts'
import {
  callModel,
  modelFailure,
  ModelFailed,
  requireRoute,
  type ChatMessage,
  type ChatTool,
} from '#features/models/index.ts'
import { repoById } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { PlanIssuesInput, readPlanIssues } from './plan-issues.ts'
import { planningPrompt } from './planning-prompt.ts'
import { addPlanCost, findPlan, setPlanFailed, setPlanMade, type PlanRow } from './store.ts'
import type { PlanIssue } from './schema.ts'

const MAX_PLANNING_MS = 15 * MINUTE
const MAX_SUMMARY_CHARS = 4_000
const MAX_QUESTIONS = 20
/** The first answer, and one that mends it. */
const MAX_ANSWERS = 2

const ModelPlan = Type.Object({
  summary: Type.String({ maxLength: MAX_SUMMARY_CHARS, description: 'The approach in short.' }),
  issues: PlanIssuesInput,
  questions: Type.Array(Type.String({ maxLength: 1_000 }), {
    maxItems: MAX_QUESTIONS,
    description: 'What only a person can decide.',
  }),
})

const PLAN_TOOL: ChatTool = {
  type: 'function',
  function: {
    name: 'plan',
    description: 'Hands in the plan.',
    parameters: ModelPlan as unknown as Record<string, unknown>,
  },
}

type Made = {
  readonly summary: string
  readonly issues: readonly PlanIssue[]
  readonly questions: readonly string[]
}

/** Reads a plan; a text says what is wrong with it. */
function readAnswer(given: string): Made | string {
  let plan: Static<typeof ModelPlan>
  try {
    const parsed: unknown = JSON.parse(given)
    if (!isValid(ModelPlan, parsed)) return 'the plan does not have the shape of the tool'
    plan = parsed
    return { ...plan, issues: readPlanIssues(plan.issues) }
  } catch (error) {
    if (error instanceof Refusal) return `${error.field ?? 'plan'}: ${error.message}`
    return 'the plan is not JSON'
  }
}

async function askModel(hearth: Hearth, row: PlanRow, signal: AbortSignal): Promise<Made> {
  const repo = repoById(hearth.db, row.repo_id)
  if (!repo) throw new ModelFailed('the repository is gone')
  const payer = {
    workspace_id: repo.workspace_id,
    task: 'plan' as const,
    actor_id: row.created_by,
    pull_id: null,
    billed: (tx: Tx, cost: number) => addPlanCost(tx, row.id, cost),
  }
  const messages: ChatMessage[] = [...(await planningPrompt(hearth, repo, row))]
  for (let answers = 1; ; answers++) {
    const answer = await callModel(hearth, payer, { messages, tools: [PLAN_TOOL] }, signal)
    const used = answer.calls.find((call) => call.function.name === 'plan')
    const made = used ? readAnswer(used.function.arguments) : 'call the tool plan'
    if (typeof made !== 'string') return made
    if (answers === MAX_ANSWERS) throw new ModelFailed(`the model made no plan: ${made}`)
    messages.push(
      {
        role: 'assistant',
        content: answer.text === '' && !used ? 'I have no plan.' : answer.text || null,
        ...(used ? { tool_calls: [used] } : {}),
      },
      used
        ? { role: 'tool', tool_call_id: used.id, content: made }
        : { role: 'user', content: made },
    )
  }
}

/** Makes a plan. After a restart it is tried once more; then it has failed. */
export const planByModel = job<{ plan_id: string }>({
  kind: 'plan_work',
  queue: 'models',
  retry: ['10s'],
  run: async ({ hearth, signal, attempt }, { plan_id }) => {
    const row = findPlan(hearth.db, plan_id)
    if (row?.status !== 'planning') return
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_PLANNING_MS)])
      const made = await askModel(hearth, row, limit)
      await writeAs(hearth, null, (tx) => setPlanMade(tx, plan_id, made))
    } catch (error) {
      if (signal.aborted && attempt < 2) throw error
      const { code, told } = modelFailure(error, 'the model took longer than 15 minutes')
      if (code === 'internal') hearth.log.error('a plan failed', { plan: plan_id, error })
      await writeAs(hearth, null, (tx) => setPlanFailed(tx, plan_id, { code, message: told }))
    }
  },
})

/** Throws 409 `model_not_configured`. */
export const requirePlanner = ({ db }: Pick<Hearth, 'db'>, workspace_id: string): void =>
  void requireRoute(db, workspace_id, 'plan')
