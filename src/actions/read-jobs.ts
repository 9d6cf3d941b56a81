/** The jobs of a workflow file. */
import { JOB_CONDITION, STEP_CONDITION } from './condition.ts'
import {
  entriesOf,
  textOf,
  textsOf,
  toJson,
  valueOf,
  type Entry,
  type YamlNode,
} from './document.ts'
import type { Findings } from './faults.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import type { CallJob, RunDefaults, StepsJob, WorkflowJob } from './model.ts'
import { readPermissions } from './read-permissions.ts'
import { conditionOf, readSteps } from './read-steps.ts'
import { faultOfId } from './step-ids.ts'
import { isWorkflowFile, parseUses } from './uses.ts'

/** In one file; a matrix may make more of them. */
const MAX_JOBS = 1_000

export function readJobs(node: YamlNode | undefined, findings: Findings): WorkflowJob[] {
  const entries = entriesOf(node)
  if (node && entries.length === 0)
    findings.fault(node, 'The workflow must contain at least one job with no dependencies.')
  if (node && entries.length > MAX_JOBS)
    findings.fault(node, `A workflow has at most ${MAX_JOBS} jobs`)
  const jobs = entries.slice(0, MAX_JOBS).map((entry) => readJob(entry, findings))
  if (node && jobs.length > 0) checkNeeds(node, jobs, findings)
  return jobs
}

function readJob({ key: id, at, value: node }: Entry, findings: Findings): WorkflowJob {
  const fault = faultOfId(id)
  if (fault) findings.fault(at, fault)
  const of = (key: string): YamlNode | undefined => valueOf(node, key)
  const base = {
    id,
    line: at.line,
    column: at.column,
    name: toJson(of('name')),
    needs: [...new Set(textsOf(of('needs')))],
    if: conditionOf(node, { findings, vocabulary: JOB_CONDITION }),
    strategy: readStrategy(of('strategy'), findings),
    permissions: readPermissions(of('permissions'), findings),
    concurrency: toJson(of('concurrency')),
  }
  return of('uses') ? readCall(base, node, findings) : readStepsJob(base, node, findings)
}

type Base = Omit<CallJob, 'kind' | 'uses' | 'with' | 'secrets'>

function readCall(base: Base, node: YamlNode, findings: Findings): CallJob {
  const at = valueOf(node, 'uses') ?? node
  const uses = textOf(at) ?? ''
  const parsed = parseUses(uses)
  if (parsed === null || parsed.kind === 'docker' || !isWorkflowFile(parsed.path))
    findings.fault(
      at,
      `Expected ./.github/workflows/file.yml or {org}/{repo}/.github/workflows/file.yml@ref. Actual '${uses}'`,
    )
  const secrets = toJson(valueOf(node, 'secrets'))
  return {
    ...base,
    kind: 'call',
    uses,
    with: objectOf(valueOf(node, 'with')),
    secrets: secrets === 'inherit' ? 'inherit' : isJsonObject(secrets) ? secrets : {},
  }
}

function objectOf(node: YamlNode | undefined): JsonObject {
  const value = toJson(node)
  return isJsonObject(value) ? value : {}
}

function readStepsJob(base: Base, node: YamlNode, findings: Findings): StepsJob {
  const of = (key: string): YamlNode | undefined => valueOf(node, key)
  if (of('snapshot')) findings.warn(of('snapshot') ?? node, 'snapshot has no effect here')
  const group = valueOf(of('runs-on'), 'group')
  if (group)
    findings.warn(group, 'Runner groups do not exist here: only the labels decide which runner')
  checkImage(of('container'), findings)
  for (const { value } of entriesOf(of('services'))) checkImage(value, findings)
  return {
    ...base,
    kind: 'steps',
    runsOn: toJson(of('runs-on')),
    environment: toJson(of('environment')),
    env: toJson(of('env')),
    defaults: readDefaults(of('defaults')),
    timeoutMinutes: toJson(of('timeout-minutes')),
    continueOnError: toJson(of('continue-on-error')),
    container: toJson(of('container')),
    services: toJson(of('services')),
    outputs: objectOf(of('outputs')),
    steps: readSteps(of('steps'), findings, STEP_CONDITION),
  }
}

function checkImage(node: YamlNode | undefined, findings: Findings): void {
  if (node?.kind !== 'mapping') return
  if (node.entries.some(({ key }) => key.startsWith('${{'))) return
  if (!textOf(valueOf(node, 'image'))) findings.fault(node, 'Container image cannot be empty')
}

export const readDefaults = (node: YamlNode | undefined): RunDefaults => ({
  shell: toJson(valueOf(valueOf(node, 'run'), 'shell')),
  workingDirectory: toJson(valueOf(valueOf(node, 'run'), 'working-directory')),
})

function readStrategy(node: YamlNode | undefined, findings: Findings): StepsJob['strategy'] {
  if (!node) return null
  const matrix = valueOf(node, 'matrix')
  for (const { key, value } of entriesOf(matrix))
    if (value.kind === 'list' && value.items.length === 0 && !['include', 'exclude'].includes(key))
      findings.fault(value, `Matrix vector '${key}' does not contain any values`)
  return {
    matrix: toJson(matrix),
    failFast: toJson(valueOf(node, 'fail-fast')),
    maxParallel: toJson(valueOf(node, 'max-parallel')),
  }
}

/** Faults of `needs`: unknown jobs, cycles, no job that could begin. */
function checkNeeds(node: YamlNode, jobs: readonly WorkflowJob[], findings: Findings): void {
  if (jobs.every(({ needs }) => needs.length > 0)) {
    findings.fault(node, 'The workflow must contain at least one job with no dependencies.')
    return
  }
  const done = new Set<string>()
  for (let before = -1; before !== done.size; ) {
    before = done.size
    for (const { id, needs } of jobs) if (needs.every((need) => done.has(need))) done.add(id)
  }
  const known = new Set(jobs.map(({ id }) => id))
  for (const { id, needs } of jobs) {
    if (done.has(id)) continue
    for (const need of needs) {
      if (done.has(need)) continue
      const at = placeOfNeed(node, id, need)
      findings.fault(
        at,
        known.has(need)
          ? `Job '${id}' depends on job '${need}' which creates a cycle in the dependency graph.`
          : `Job '${id}' depends on unknown job '${need}'.`,
      )
    }
  }
}

function placeOfNeed(jobs: YamlNode, id: string, need: string): YamlNode {
  const needs = valueOf(valueOf(jobs, id), 'needs') ?? jobs
  const items = needs.kind === 'list' ? needs.items : []
  return items.find((item) => textOf(item) === need) ?? needs
}
