/** Runs an action from its folder: the steps of a composite action, or its JavaScript. */
import { normalize } from 'node:path/posix'
import { expand, expandStrings, holds, scalarText, type Action, type Json } from '#actions'
import { wordsOf } from './containers.ts'
import type { ActionName, Conclusion } from './job-input.ts'
import { runImage } from './run-image.ts'
import { quote } from './shells.ts'
import { inputVariables } from './step-environment.ts'
import {
  besideSteps,
  type Frame,
  type PostStep,
  type RunningStep,
  type StepRunner,
} from './step-runner.ts'

/** Actions may use each other so deep. */
const MAX_DEPTH = 10

type Inputs = Readonly<Record<string, string>>

export type ActionSource = {
  /** In the workspace, or absolute. */
  readonly folder: string
  /** For messages. */
  readonly name: string
  /** The repository that it was fetched from; null for one of the workspace. */
  readonly origin: ActionName | null
}

export async function runAction(
  runner: StepRunner,
  running: RunningStep,
  from: ActionSource,
  given: Inputs,
): Promise<Conclusion> {
  const { report, place, host } = runner.surroundings
  const fail = (message: string): Conclusion => {
    report.error(running.number, message)
    return 'failure'
  }
  if (running.frame.depth >= MAX_DEPTH)
    return fail(`Actions use each other at most ${MAX_DEPTH} deep`)
  const folder = runner.inWorkspace(from.folder)
  const text = await place.ask(
    `cd ${quote(folder)} && { cat action.yml 2>/dev/null || cat action.yaml; } 2>/dev/null`,
  )
  const { name } = from
  if (text === null)
    return fail(`${name} has no action.yml. Did a step check out the repository before this one?`)
  const { action, problems } = await host.readAction(
    text,
    `${name.replace(/^\.\//, '')}/action.yml`,
  )
  for (const { file, line, column, text } of problems)
    report.error(running.number, `${file}:${line}:${column} ${text}`)
  if (!action) return 'failure'
  const inputs = await inputsOf(runner, running, action, given)
  const missing = Object.entries(action.inputs).find(
    ([key, { required }]) => required && (inputs[key] ?? '') === '',
  )
  if (missing)
    report.warning(running.number, `The input ${missing[0]} of ${name} is required and empty`)
  if (action.runs.kind === 'composite')
    return runComposite(runner, running, { action, folder, inputs })
  if (action.runs.kind === 'node')
    return runNode(runner, running, { runs: action.runs, folder, inputs, origin: from.origin })
  return runImageAction(runner, running, { runs: action.runs, folder, inputs })
}

/** What the step gives, and defaults for the rest. */
async function inputsOf(
  runner: StepRunner,
  running: RunningStep,
  action: Action,
  given: Inputs,
): Promise<Inputs> {
  const defaults: Record<string, Json> = {}
  for (const [key, input] of Object.entries(action.inputs))
    defaults[key] = await runner.evaluateDefault(running, (scope) => expand(input.default, scope))
  const known = new Map(Object.keys(action.inputs).map((key) => [key.toLowerCase(), key]))
  const named = Object.entries(given).map(([key, value]) => [
    known.get(key.toLowerCase()) ?? key,
    value,
  ])
  return {
    ...Object.fromEntries(
      Object.entries(defaults).map(([key, value]) => [key, value === null ? '' : String(value)]),
    ),
    ...Object.fromEntries(named),
  } as Inputs
}

async function runComposite(
  runner: StepRunner,
  running: RunningStep,
  { action, folder, inputs }: { action: Action; folder: string; inputs: Inputs },
): Promise<Conclusion> {
  if (action.runs.kind !== 'composite') return 'failure'
  const frame: Frame = {
    steps: {},
    inputs,
    env: { ...running.frame.env, ...running.env },
    actionPath: folder,
    depth: running.frame.depth + 1,
    hasFailed: false,
  }
  const conclusion = await runner.runFrame(running, frame, action.runs.steps)
  const outputs = await runner.evaluate(besideSteps(frame), (scope) =>
    expandStrings(action.outputs, scope),
  )
  Object.assign(running.outputs, outputs)
  return conclusion
}

type NodeRuns = Extract<Action['runs'], { kind: 'node' }>

async function runNode(
  runner: StepRunner,
  running: RunningStep,
  action: { runs: NodeRuns; folder: string; inputs: Inputs; origin: ActionName | null },
): Promise<Conclusion> {
  const { runs, folder, inputs, origin } = action
  const { place } = runner.surroundings
  const env = {
    ...inputVariables(inputs),
    ...runner.job.services?.actions,
    GITHUB_ACTION_PATH: folder,
    GITHUB_ACTION_REPOSITORY: origin?.repository ?? '',
    GITHUB_ACTION_REF: origin?.ref ?? '',
  }
  const execute = async (file: string, step = running): Promise<Conclusion> => {
    const path = normalize(`${folder}/${file}`)
    if (origin !== null) await place.repairModule(path)
    return runner.execute(step, {
      command: moduleCommand(path, place.paths.runtime, origin === null ? 0 : runs.version),
      env: { ...env, ...stateOf(step) },
      folder: runner.inWorkspace(''),
    })
  }
  if (runs.pre !== null) {
    const applies = await runner.evaluate(running, (scope) => holds(runs.preIf, scope))
    if (applies && (await execute(runs.pre)) === 'failure') return 'failure'
  }
  const { post } = runs
  if (post !== null)
    runner.postSteps.push(postStep(running, runs.postIf, (step) => execute(post, step)))
  return execute(runs.main)
}

type ImageRuns = Extract<Action['runs'], { kind: 'docker' }>

async function runImageAction(
  runner: StepRunner,
  running: RunningStep,
  { runs, folder, inputs }: { runs: ImageRuns; folder: string; inputs: Inputs },
): Promise<Conclusion> {
  const image = runs.image.startsWith('docker://')
    ? runs.image
    : { dockerfile: normalize(`${folder}/${runs.image}`), name: null }
  const at = { frame: { ...running.frame, inputs }, env: running.env }
  const words = await runner.evaluate(at, (scope) => expand(runs.args, scope))
  const variables = await runner.evaluate(at, (scope) => expandStrings(runs.env, scope))
  const execute = (
    entrypoint: string | null,
    args: readonly string[],
    step = running,
  ): Promise<Conclusion> =>
    runImage(runner, step, {
      image,
      entrypoint,
      args,
      env: {
        ...variables,
        ...inputVariables(inputs),
        ...runner.job.services?.actions,
        ...stateOf(step),
      },
    })
  if (runs.pre !== null) {
    const applies = await runner.evaluate(running, (scope) => holds(runs.preIf, scope))
    if (applies && (await execute(runs.pre, [])) === 'failure') return 'failure'
  }
  const { post } = runs
  if (post !== null)
    runner.postSteps.push(postStep(running, runs.postIf, (step) => execute(post, [], step)))
  // A step may say both in place of the action, as on GitHub.
  return execute(
    inputs.entrypoint || runs.entrypoint,
    inputs.args ? wordsOf(inputs.args) : Array.isArray(words) ? words.map(scalarText) : [],
  )
}

/** What an action does at the end of the job. */
const postStep = (
  running: RunningStep,
  condition: string,
  run: (step: RunningStep) => Promise<Conclusion>,
): PostStep => ({
  name: `Post ${running.step.kind === 'uses' ? running.step.uses : running.step.id}`,
  if: condition,
  run: (number) => run({ ...running, number, signal: undefined, timeoutMs: undefined }),
})

/** What an earlier part of the action has saved. */
const stateOf = ({ state }: RunningStep): Inputs =>
  Object.fromEntries(Object.entries(state).map(([key, value]) => [`STATE_${key}`, value]))

/**
 * Runs a module with the machine's node when that is new enough, and else with the runtime of this
 * executable. That reads no settings of the workspace: a `preload` there would run in the action.
 */
const moduleCommand = (path: string, runtime: string, leastMajor: number): string =>
  [
    'major=$({ node --version | tr -d v | cut -d. -f1; } 2>/dev/null)',
    `if [ "$major" -ge ${leastMajor} ] 2>/dev/null; then launch node ${quote(path)}; fi`,
    'unset BUN_OPTIONS; export BUN_BE_BUN=1',
    `launch ${quote(runtime)} --no-env-file --config=/dev/null ${quote(path)}`,
  ].join('\n')
