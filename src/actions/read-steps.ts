/** The steps of a job or of a composite action. */
import { readCondition, STEP_CONDITION } from './condition.ts'
import { textOf, toJson, valueOf, type YamlNode } from './document.ts'
import type { Vocabulary } from './expression.ts'
import type { Findings } from './faults.ts'
import type { Step } from './model.ts'
import { faultOfId, StepIds } from './step-ids.ts'
import { parseUses } from './uses.ts'

export const MAX_STEPS = 1_000
const MAX_SCRIPT = 21_000 * 10

export function readSteps(
  node: YamlNode | undefined,
  findings: Findings,
  vocabulary = STEP_CONDITION,
): Step[] {
  const items = flattenParallel(node?.kind === 'list' ? node.items : [], findings)
  if (node && items.length > MAX_STEPS) findings.fault(node, `A job has at most ${MAX_STEPS} steps`)
  const ids = new StepIds()
  for (const item of items.slice(0, MAX_STEPS)) checkId(item, ids, findings)
  return items
    .slice(0, MAX_STEPS)
    .flatMap((item, index) => readStep(item, index + 1, { ids, findings, vocabulary }) ?? [])
}

/** The steps of `parallel` in the order of the file. The judge has seen that they are steps. */
function flattenParallel(items: readonly YamlNode[], findings: Findings): YamlNode[] {
  return items.flatMap((item) => {
    const group = valueOf(item, 'parallel')
    if (group?.kind !== 'list') return [item]
    findings.warn(item, "The steps of 'parallel' run one after the other here")
    return flattenParallel(group.items, findings)
  })
}

function checkId(item: YamlNode, ids: StepIds, findings: Findings): void {
  const at = valueOf(item, 'id')
  const id = textOf(at)
  if (!at || id === null) return
  const fault = faultOfId(id)
  if (fault) findings.fault(at, fault)
  else if (!ids.add(id))
    findings.fault(
      at,
      `The identifier '${id}' may not be used more than once within the same scope.`,
    )
}

type Reading = {
  readonly ids: StepIds
  readonly findings: Findings
  readonly vocabulary: Vocabulary
}

function readStep(item: YamlNode, number: number, reading: Reading): Step | null {
  const { ids, findings } = reading
  const of = (key: string): YamlNode | undefined => valueOf(item, key)
  const run = textOf(of('run'))
  const uses = textOf(of('uses'))
  const base = {
    id: textOf(of('id')) ?? ids.make(uses),
    number,
    line: item.line,
    column: item.column,
    name: toJson(of('name')),
    if: conditionOf(item, reading),
    env: toJson(of('env')),
    continueOnError: toJson(of('continue-on-error')),
    timeoutMinutes: toJson(of('timeout-minutes')),
  }
  if (run !== null) {
    if (run.length > MAX_SCRIPT)
      findings.fault(of('run') ?? item, `A script has at most ${MAX_SCRIPT} characters`)
    const shell = toJson(of('shell'))
    return {
      ...base,
      kind: 'run',
      run,
      shell,
      workingDirectory: toJson(of('working-directory')),
    }
  }
  if (uses !== null) {
    const at = of('uses') ?? item
    if (!parseUses(uses)) findings.fault(at, faultOfUses(uses))
    return { ...base, kind: 'uses', uses, with: toJson(of('with')) }
  }
  findings.fault(item, faultOfKind(item))
  return null
}

const faultOfUses = (uses: string): string =>
  `Expected format {org}/{repo}[/path]@ref, ./path or docker://image. Actual '${uses}'`

function faultOfKind(item: YamlNode): string {
  return valueOf(item, 'uses') || valueOf(item, 'run')
    ? 'The value of run or uses is empty'
    : 'Expected one of uses or run to be defined'
}

export function conditionOf(
  item: YamlNode,
  { findings, vocabulary }: Pick<Reading, 'findings' | 'vocabulary'>,
): string {
  const node = valueOf(item, 'if')
  if (!node) return 'success()'
  const condition = findings.try(node, () => readCondition(textOf(node), vocabulary))
  if (condition?.isAlwaysTrue)
    findings.warn(
      node,
      'This condition is always true, because text outside of the braces makes it a text',
    )
  return condition?.expression ?? 'success()'
}
