/**
 * A planned job as the text of a workflow file with this one job, for runners that read files. The
 * text is JSON, which is YAML. Expressions stay as they are, because the runner evaluates them, but
 * for `inputs` and `strategy`: such a runner knows neither of a called workflow or a matrix, so
 * their values stand in the place of their names.
 */
import { inlineContexts } from './inline-contexts.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts'
import type { Step, Template } from './model.ts'
import { strategyContext } from './plan-job.ts'
import type { JobPlan, StepsPlan } from './run-state.ts'

export type ExportableJob = {
  readonly plan: JobPlan & StepsPlan
  /** The id of the job in its file. */
  readonly jobId: string
  /** The name of the workflow. */
  readonly workflow: string
  /** Variables that the server adds. */
  readonly env: Readonly<Record<string, string>>
}

/** Without the entries that are null. */
const given = (entries: Readonly<Record<string, Json>>): JsonObject =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null))

type Inline = (template: Template) => Template

/** The steps of a job as a runner reads them. */
function exportStep(step: Step, inline: Inline): JsonObject {
  const base = {
    // Names of our own begin so; runners make theirs.
    id: step.id.startsWith('__') ? null : step.id,
    name: inline(step.name),
    if: inline(`\${{ ${step.if} }}`),
    env: inline(step.env),
    'continue-on-error': inline(step.continueOnError),
    'timeout-minutes': inline(step.timeoutMinutes),
  }
  if (step.kind === 'uses') return given({ ...base, uses: step.uses, with: inline(step.with) })
  return given({
    ...base,
    run: inline(step.run),
    shell: inline(step.shell),
    'working-directory': inline(step.workingDirectory),
  })
}

function exportDefaults({ defaults }: StepsPlan, inline: Inline): Json {
  const first = (of: (one: StepsPlan['defaults'][number]) => Template): Template =>
    inline(defaults.map(of).find((value) => value !== null) ?? null)
  const run = given({
    shell: first(({ shell }) => shell),
    'working-directory': first(({ workingDirectory }) => workingDirectory),
  })
  return Object.keys(run).length === 0 ? null : { run }
}

/** YAML has no such characters; JSON has them as they are. */
const escapeControls = (text: string): string =>
  text.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Throws ExpressionFault for an expression that cannot be read. */
export function exportJob({ plan, jobId, workflow, env }: ExportableJob): string {
  const contexts = { inputs: plan.inputs, strategy: strategyContext(plan) }
  const inline: Inline = (template) => inlineContexts(template, contexts)
  const [workflowEnv = null, jobEnv = null] = plan.env
  const matrix = plan.matrix && Object.entries(plan.matrix).map(([key, value]) => [key, [value]])
  const job = given({
    name: plan.name,
    // Whether the job runs was decided here.
    if: 'always()',
    'runs-on': plan.runsOn,
    'timeout-minutes': plan.timeoutMinutes,
    strategy: matrix && { matrix: Object.fromEntries(matrix) as JsonObject },
    env: inline(jobEnv),
    defaults: exportDefaults(plan, inline),
    container: inline(plan.container),
    services: inline(plan.services),
    outputs: inline(isEmpty(plan.outputs) ? null : plan.outputs),
    steps: plan.steps.map((step) => exportStep(step, inline)),
  })
  const file = given({
    name: workflow,
    on: 'push',
    env: withVariables(inline(workflowEnv), env),
    jobs: { [jobId]: job },
  })
  return escapeControls(JSON.stringify(file))
}

/** An `env` that is one expression stays as it is: variables are added to a mapping only. */
const withVariables = (env: Template, more: Readonly<Record<string, string>>): Template =>
  env === null || isJsonObject(env) ? { ...env, ...more } : env

const isEmpty = (value: Template): boolean =>
  isJsonArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0
