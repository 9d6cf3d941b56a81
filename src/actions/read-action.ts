/**
 * Reads an action's `action.yml`. Like `parseWorkflow` it has no limit on time: others use
 * `WorkflowReader`, which does it in a thread.
 */
import { readCondition, STEP_CONDITION } from './condition.ts'
import { entriesOf, readYaml, textOf, toJson, valueOf, type YamlNode } from './document.ts'
import { Findings } from './faults.ts'
import { judge } from './judge.ts'
import { MAX_WORKFLOW_LENGTH, type Problem, type Step, type Template } from './model.ts'
import { readSteps } from './read-steps.ts'

export type Action = {
  readonly name: string
  readonly inputs: Readonly<Record<string, ActionInput>>
  /** Of a composite action: templates that may name `steps`. */
  readonly outputs: Readonly<Record<string, Template>>
  readonly runs: ActionRuns
}

export type ActionInput = { readonly required: boolean; readonly default: Template }

export type ActionRuns =
  | { readonly kind: 'composite'; readonly steps: readonly Step[] }
  | {
      readonly kind: 'node'
      /** The version that `using` names. */
      readonly version: number
      /** Paths within the action; null for none. */
      readonly main: string
      readonly pre: string | null
      readonly post: string | null
      /** Expressions that always ask for a status. */
      readonly preIf: string
      readonly postIf: string
    }
  | {
      readonly kind: 'docker'
      /** `docker://` and an image, or a file that one is built from. */
      readonly image: string
      readonly entrypoint: string | null
      readonly args: Template
      readonly env: Template
      /** Programs of the image before and after; null for none. */
      readonly pre: string | null
      readonly post: string | null
      readonly preIf: string
      readonly postIf: string
    }

export type ActionReading = {
  /** Null when there are problems. */
  readonly action: Action | null
  readonly problems: readonly Problem[]
}

/** GitHub documents both as required, and its runner runs actions without them. */
const UNNEEDED = /^Required property is missing: (?:name|description)$/

export function parseAction(text: string, path: string): ActionReading {
  const findings = new Findings(path)
  const failed = (): ActionReading => ({ action: null, problems: findings.problems })
  if (text.length > MAX_WORKFLOW_LENGTH) {
    findings.fault(
      { line: 1, column: 1 },
      `The file has more than ${MAX_WORKFLOW_LENGTH} characters`,
    )
    return failed()
  }
  const read = readYaml(text)
  if ('fault' in read) {
    findings.fault(read.fault, read.fault.text)
    return failed()
  }
  for (const fault of judge(text, 'action'))
    if (!UNNEEDED.test(fault.text)) findings.fault(fault, fault.text)
  if (findings.problems.length > 0) return failed()
  const { root } = read
  const runs = readRuns(valueOf(root, 'runs') ?? root, findings)
  if (runs === null || findings.problems.length > 0) return failed()
  const action: Action = {
    name: textOf(valueOf(root, 'name')) ?? path,
    inputs: Object.fromEntries(
      entriesOf(valueOf(root, 'inputs')).map(({ key, value }) => [key, readInput(value)]),
    ),
    outputs: Object.fromEntries(
      entriesOf(valueOf(root, 'outputs')).map(({ key, value }) => [
        key,
        toJson(valueOf(value, 'value')),
      ]),
    ),
    runs,
  }
  return { action, problems: [] }
}

const readInput = (node: YamlNode): ActionInput => ({
  required: textOf(valueOf(node, 'required')) === 'true',
  default: toJson(valueOf(node, 'default')),
})

function readRuns(node: YamlNode, findings: Findings): ActionRuns | null {
  const using = (textOf(valueOf(node, 'using')) ?? '').toLowerCase()
  if (using === 'composite')
    return { kind: 'composite', steps: readSteps(valueOf(node, 'steps'), findings) }
  if (using === 'docker') return readImageRuns(node, findings)
  const main = textOf(valueOf(node, 'main'))
  const version = /^node(\d{1,3})$/.exec(using)?.[1]
  if (version === undefined || main === null) {
    findings.fault(node, `The value of using is '${using}', which does not run here`)
    return null
  }
  return {
    kind: 'node',
    version: Number(version),
    main,
    pre: textOf(valueOf(node, 'pre')),
    post: textOf(valueOf(node, 'post')),
    ...readConditions(node, findings),
  }
}

const readImageRuns = (node: YamlNode, findings: Findings): ActionRuns => ({
  kind: 'docker',
  image: textOf(valueOf(node, 'image')) ?? '',
  entrypoint: textOf(valueOf(node, 'entrypoint')),
  args: toJson(valueOf(node, 'args')),
  env: toJson(valueOf(node, 'env')),
  pre: textOf(valueOf(node, 'pre-entrypoint')),
  post: textOf(valueOf(node, 'post-entrypoint')),
  ...readConditions(node, findings),
})

/** GitHub runs what comes before and after whatever happened, unless the action says otherwise. */
function readConditions(node: YamlNode, findings: Findings): { preIf: string; postIf: string } {
  const condition = (key: string): string => {
    const at = valueOf(node, key)
    if (!at) return 'always()'
    const read = findings.try(at, () => readCondition(textOf(at), STEP_CONDITION))
    return read?.expression ?? 'always()'
  }
  return { preIf: condition('pre-if'), postIf: condition('post-if') }
}
