/** Reusable workflows: what their callers give them and get back. */
import { ExpressionBudget, ExpressionFault } from './expression.ts'
import { scalarText, type Json, type JsonObject } from './json.ts'
import type { InputDefinition, Workflow } from './model.ts'
import { asJson, needsOf, outputsOf, resultOf, workflowOf, type JobScope } from './needs.ts'
import { excessPermission } from './permissions.ts'
import { strategyContext } from './plan-job.ts'
import type { CallPlan, JobPlan, JobState, RunState } from './run-state.ts'
import { expand, expandStrings } from './template.ts'

/** How deep calls may nest: a run, and up to three levels of called workflows below it. */
export const MAX_CALL_DEPTH = 4

export const rowOf = (run: RunState, key: string): JobState | undefined =>
  run.jobs.find((row) => row.key === key)

/** How many callers a row has. */
export function depthOf(run: RunState, { parent }: Pick<JobState, 'parent'>): number {
  let depth = 0
  for (let key = parent; key !== null; key = rowOf(run, key)?.parent ?? null) depth++
  return depth
}

/** The `inputs` context of a file of the run. Throws ExpressionFault. */
export function inputsOf(
  run: RunState,
  parent: string | null,
  budget: ExpressionBudget,
): JsonObject {
  const plan = parent === null ? null : rowOf(run, parent)?.plan
  const workflow = workflowOf(run, parent)
  if (plan?.kind !== 'call' || !workflow) return run.inputs
  const scope = { contexts: { github: run.github, vars: run.vars, inputs: {} } }
  const definitions = Object.entries(workflow.on.workflow_call?.inputs ?? {})
  return Object.fromEntries(
    definitions.map(([name, definition]): [string, Json] => {
      const given = ownOf(plan.with, name)
      const value = given ?? expand(definition.default, scope, budget)
      return [name, convertInput(name, definition, value)]
    }),
  )
}

/** A key of a mapping without regard to case. */
function ownOf(mapping: JsonObject, name: string): Json | undefined {
  const lower = name.toLowerCase()
  return Object.entries(mapping).find(([key]) => key.toLowerCase() === lower)?.[1]
}

/** The value in the type of its input. Throws ExpressionFault. */
export function convertInput(name: string, { type }: InputDefinition, value: Json): Json {
  if (type === 'boolean') {
    if (value === null || value === '') return false
    if (typeof value === 'boolean') return value
    if (value === 'true' || value === 'false') return value === 'true'
  } else if (type === 'number') {
    if (value === null || value === '') return 0
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number === 'number' && Number.isFinite(number)) return number
  } else return scalarText(value)
  throw new ExpressionFault(`The input ${name} is not a ${type}: '${scalarText(value)}'`)
}

/** Why a job may not call a workflow; null when it may. */
export function faultOfCall(plan: JobPlan & CallPlan, callee: Workflow): string | null {
  const { workflow_call: trigger } = callee.on
  if (!trigger) return `${plan.uses} cannot be called: it has no workflow_call in its on`
  const knows = (known: object, name: string): boolean =>
    Object.keys(known).some((one) => one.toLowerCase() === name.toLowerCase())
  for (const name of Object.keys(plan.with))
    if (!knows(trigger.inputs, name))
      return `Invalid input, ${name} is not defined in the referenced workflow.`
  for (const [name, { required }] of Object.entries(trigger.inputs))
    if (required && !knows(plan.with, name))
      return `Input ${name} is required, but not provided while calling.`
  if (plan.secrets !== 'inherit') {
    for (const name of Object.keys(plan.secrets))
      if (!knows(trigger.secrets, name))
        return `Invalid secret, ${name} is not defined in the referenced workflow.`
    for (const [name, { required }] of Object.entries(trigger.secrets))
      if (required && !knows(plan.secrets, name))
        return `Secret ${name} is required, but not provided while calling.`
  }
  return faultOfPermissions(plan, callee)
}

function faultOfPermissions(
  { uses, permissions }: JobPlan & CallPlan,
  callee: Workflow,
): string | null {
  const excess = excessPermission(permissions, callee.permissions)
  const message = (who: string, { scope, asked, allowed }: NonNullable<typeof excess>): string =>
    `Error calling workflow '${uses}'. ${who} is requesting '${scope}: ${asked}', but is only allowed '${scope}: ${allowed}'.`
  if (excess) return message(`The workflow '${uses}'`, excess)
  for (const job of callee.jobs) {
    const more = excessPermission(permissions, job.permissions)
    if (more) return message(`The nested job '${job.id}'`, more)
  }
  return null
}

/** What `on.workflow_call.outputs` say once all jobs of the callee have ended. */
export function callOutputs(
  run: RunState,
  { workflow, rows, parent }: JobScope,
  budget: ExpressionBudget,
): Record<string, string> {
  const jobs = Object.fromEntries(
    [...rows].map(([id, all]) => [id, { result: resultOf(all), outputs: outputsOf(all) }]),
  )
  const contexts = {
    github: run.github,
    vars: run.vars,
    inputs: inputsOf(run, parent, budget),
    jobs,
  }
  return expandStrings(workflow.on.workflow_call?.outputs ?? {}, { contexts }, budget)
}

/**
 * The `secrets` context of a job: all of the run in its own file, and in a called one what the
 * caller passes. Throws ExpressionFault.
 */
export function secretsOf(
  run: RunState,
  { parent }: Pick<JobState, 'parent'>,
  secrets: Readonly<Record<string, string>>,
  budget = new ExpressionBudget(),
): Readonly<Record<string, string>> {
  const caller = parent === null ? undefined : rowOf(run, parent)
  if (caller?.plan?.kind !== 'call') return secrets
  const available = secretsOf(run, caller, secrets, budget)
  const { plan } = caller
  if (plan.secrets === 'inherit') return available
  const contexts = {
    github: run.github,
    vars: run.vars,
    inputs: plan.inputs,
    needs: asJson(needsOf(run, caller)),
    matrix: plan.matrix ?? {},
    strategy: strategyContext(plan),
    secrets: available,
  }
  const passed = expandStrings(plan.secrets, { contexts }, budget)
  const token = available.GITHUB_TOKEN
  return token === undefined ? passed : { ...passed, GITHUB_TOKEN: token }
}
