/** What a file says after `on`. */
import { isValidCron } from './cron.ts'
import { entriesOf, textOf, textsOf, toJson, valueOf, type YamlNode } from './document.ts'
import type { Findings } from './faults.ts'
import {
  EVENT_NAMES,
  type EventName,
  type InputDefinition,
  type Trigger,
  type Workflow,
} from './model.ts'

export const MAX_DISPATCH_INPUTS = 25

const PLAIN: Trigger = {
  types: null,
  branches: null,
  branchesIgnore: null,
  tags: null,
  tagsIgnore: null,
  paths: null,
  pathsIgnore: null,
  workflows: null,
  schedules: [],
  inputs: {},
  secrets: {},
  outputs: {},
}

const isEventName = (name: string): name is EventName => EVENT_NAMES.some((known) => known === name)

export function readTriggers(
  node: YamlNode | undefined,
  findings: Findings,
): Pick<Workflow, 'on' | 'neverHappens'> {
  const on: Partial<Record<EventName, Trigger>> = {}
  const neverHappens: string[] = []
  const add = (name: string, trigger: () => Trigger): void => {
    if (isEventName(name)) on[name] = trigger()
    else neverHappens.push(name)
  }
  if (node?.kind === 'mapping')
    for (const { key, value } of node.entries) add(key, () => readTrigger(key, value, findings))
  else for (const name of textsOf(node)) add(name, () => PLAIN)
  return { on, neverHappens }
}

const patternsOf = (node: YamlNode, key: string): string[] | null => {
  const value = valueOf(node, key)
  return value && (value.kind !== 'scalar' || value.value !== null) ? textsOf(value) : null
}

function readTrigger(name: string, node: YamlNode, findings: Findings): Trigger {
  const of = (key: string): string[] | null => patternsOf(node, key)
  for (const key of ['branches', 'tags', 'paths'])
    if (of(key) && of(`${key}-ignore`))
      findings.warn(node, `Both ${key} and ${key}-ignore must match for ${name}`)
  return {
    types: of('types'),
    branches: of('branches'),
    branchesIgnore: of('branches-ignore'),
    tags: of('tags'),
    tagsIgnore: of('tags-ignore'),
    paths: of('paths'),
    pathsIgnore: of('paths-ignore'),
    workflows: of('workflows'),
    schedules: name === 'schedule' ? readSchedules(node, findings) : [],
    inputs: readInputs(name, valueOf(node, 'inputs'), findings),
    secrets: Object.fromEntries(
      entriesOf(valueOf(node, 'secrets')).map(({ key, value }) => [
        key,
        { required: toJson(valueOf(value, 'required')) === true },
      ]),
    ),
    outputs: Object.fromEntries(
      entriesOf(valueOf(node, 'outputs')).map(({ key, value }) => [
        key,
        toJson(valueOf(value, 'value')),
      ]),
    ),
  }
}

function readSchedules(node: YamlNode, findings: Findings): Trigger['schedules'] {
  const items = node.kind === 'list' ? node.items : []
  return items.flatMap((item) => {
    const at = valueOf(item, 'cron')
    const cron = textOf(at) ?? ''
    if (!isValidCron(cron)) {
      findings.fault(
        at ?? item,
        "Invalid cron expression. Expected format: '* * * * *' (minute hour day month weekday)",
      )
      return []
    }
    return [{ cron, timezone: textOf(valueOf(item, 'timezone')) }]
  })
}

const INPUT_TYPES = ['string', 'boolean', 'number', 'choice', 'environment'] as const

function readInputs(
  event: string,
  node: YamlNode | undefined,
  findings: Findings,
): Record<string, InputDefinition> {
  const entries = entriesOf(node)
  if (event === 'workflow_dispatch' && node && entries.length > MAX_DISPATCH_INPUTS)
    findings.fault(node, `workflow_dispatch has at most ${MAX_DISPATCH_INPUTS} inputs`)
  return Object.fromEntries(
    entries.map(({ key, value }) => [key, readInput(event, key, value, findings)]),
  )
}

function readInput(
  event: string,
  name: string,
  node: YamlNode,
  findings: Findings,
): InputDefinition {
  const typeName = textOf(valueOf(node, 'type')) ?? 'string'
  const type = INPUT_TYPES.find((known) => known === typeName) ?? 'string'
  const fallback = toJson(valueOf(node, 'default'))
  const options = textsOf(valueOf(node, 'options'))
  const expected = type === 'boolean' || type === 'number' ? type : 'string'
  const isExpression = typeof fallback === 'string' && fallback.includes('${{')
  // Dispatch reads texts; calls are typed.
  if (event === 'workflow_call' && fallback !== null && !isExpression)
    if (typeof fallback !== expected)
      findings.fault(
        valueOf(node, 'default') ?? node,
        `The default of the input '${name}' is not of its type ${type}`,
      )
  if (event === 'workflow_dispatch' && type === 'choice' && options.length === 0)
    findings.fault(node, `The input '${name}' is a choice without options`)
  return {
    type,
    description: textOf(valueOf(node, 'description')),
    required: toJson(valueOf(node, 'required')) === true,
    default: fallback,
    options,
  }
}
