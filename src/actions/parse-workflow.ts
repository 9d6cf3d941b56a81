/**
 * Reads a workflow file into its model. Synchronous, and without a limit on time: others use
 * `WorkflowReader`, which does it in a thread.
 */
import { entriesOf, entryOf, readYaml, textOf, toJson, valueOf, type YamlNode } from './document.ts'
import { Findings } from './faults.ts'
import { judge } from './judge.ts'
import { MAX_WORKFLOW_LENGTH, type Problem, type Workflow } from './model.ts'
import { readPermissions } from './read-permissions.ts'
import { readDefaults, readJobs } from './read-jobs.ts'
import { readTriggers } from './read-triggers.ts'
import { warnOfRisks } from './security-warnings.ts'

export type WorkflowReading = {
  /** Null when there are problems. */
  readonly workflow: Workflow | null
  readonly problems: readonly Problem[]
}

export function parseWorkflow(text: string, path: string): WorkflowReading {
  const findings = new Findings(path)
  const failed = (): WorkflowReading => ({ workflow: null, problems: findings.problems })
  if (text.length > MAX_WORKFLOW_LENGTH) {
    findings.fault(
      { line: 1, column: 1 },
      `The file has more than ${MAX_WORKFLOW_LENGTH / 1024} KB, the most that is read`,
    )
    return failed()
  }
  const read = readYaml(text)
  if ('fault' in read) {
    findings.fault(read.fault, read.fault.text)
    return failed()
  }
  const ignored = new Set(ignoredPlaces(read.root))
  for (const fault of judge(text, 'workflow')) {
    const isIgnored = fault.text.startsWith('Unexpected value') && ignored.has(keyOf(fault))
    if (isIgnored) findings.warn(fault, fault.text)
    else findings.fault(fault, fault.text)
  }
  if (findings.problems.length > 0) return failed()
  const workflow = buildWorkflow(read.root, path, findings)
  return findings.problems.length > 0 ? failed() : { workflow, problems: [] }
}

const keyOf = ({ line, column }: { line: number; column: number }): string => `${line}:${column}`

/**
 * Places below `workflow_dispatch` where GitHub ignores what its schema refuses: keys that it does
 * not know, and empty values.
 */
function* ignoredPlaces(root: YamlNode): Generator<string> {
  const inputs = valueOf(valueOf(valueOf(root, 'on'), 'workflow_dispatch'), 'inputs')
  for (const { at } of entriesOf(valueOf(valueOf(root, 'on'), 'workflow_dispatch'))) yield keyOf(at)
  for (const node of [inputs, ...entriesOf(inputs).map(({ value }) => value)]) {
    if (node?.kind === 'scalar' && node.value === null) yield keyOf(node)
    for (const { key, at } of entriesOf(node))
      if (node !== inputs && !INPUT_KEYS.includes(key)) yield keyOf(at)
  }
}

const INPUT_KEYS = ['description', 'type', 'required', 'default', 'options']

function buildWorkflow(root: YamlNode, path: string, findings: Findings): Workflow {
  const triggers = readTriggers(valueOf(root, 'on'), findings)
  const jobs = readJobs(entryOf(root, 'jobs')?.value, findings)
  const name = textOf(valueOf(root, 'name'))?.trim()
  const parts = {
    path,
    name: name ? name : path,
    runName: toJson(valueOf(root, 'run-name')),
    ...triggers,
    env: toJson(valueOf(root, 'env')),
    defaults: readDefaults(valueOf(root, 'defaults')),
    permissions: readPermissions(valueOf(root, 'permissions'), findings),
    concurrency: toJson(valueOf(root, 'concurrency')),
    jobs,
  }
  const workflow = { ...parts, warnings: findings.warnings }
  warnOfRisks(workflow, findings)
  return workflow
}
